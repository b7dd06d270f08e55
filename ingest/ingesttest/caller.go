package ingesttest

import (
	"strings"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// every returns different requests about the run with an attempt ID.
func (f *fixture) every(id string) []request {
	return []request{
		{method: "GET", path: "/v1/runs/" + id},
		chunkRequest(id, piece{seq: 5, text: "x\n"}),
		{method: "PUT", path: "/v1/runs/" + id + "/events/5", body: []byte(event(9, "x"))},
		{method: "PUT", path: "/v1/runs/" + id + "/live/9", body: []byte(event(9, "x"))},
		{method: "POST", path: "/v1/runs/" + id + "/finish",
			body: []byte(`{"finished_at":"2026-03-01T12:00:00Z","chunks":0,"batches":0,"lines":0}`)},
		{method: "POST", path: "/v1/runs/" + id + "/heartbeat"},
	}
}

// without removes the attempt ID from an answer, because the caller chose it.
func without(a answer, id string) string { return strings.ReplaceAll(string(a.body), id, "ID") }

var callerTests = map[string]func(f *fixture){
	"a run of somebody else is answered as one that does not exist": func(f *fixture) {
		id := f.start()
		none := f.attempt()
		other := f.every(none)
		for i, r := range f.every(id) {
			r.as, other[i].as = "b", "b"
			theirs, nobodys := f.is(f.do(r), 404), f.is(f.do(other[i]), 404)
			f.equal(without(theirs, id), without(nobodys, none))
		}
		f.equal(f.run(id).State, store.StateRunning)
		f.equal(f.objects(), 0)
	},
	"a repository of somebody else is answered as one that does not exist": func(f *fixture) {
		f.start()
		in := f.newStart()
		theirs := f.is(f.post("b", "/v1/runs", in), 404)
		in.Repo = "o/x"
		nobodys := f.is(f.post("b", "/v1/runs", in), 404)
		f.equal(strings.ReplaceAll(string(theirs.body), "o/a", "o/x"), string(nobodys.body))
	},
	"the answer for a used attempt ID does not tell whose it is": func(f *fixture) {
		in := f.newStart()
		f.is(f.post("a", "/v1/runs", in), 201)
		in.Repo = "o/b"
		theirs := f.is(f.post("b", "/v1/runs", in), 409, `"code":"conflict"`)
		pruned := f.newStart()
		f.is(f.post("a", "/v1/runs", pruned), 201)
		f.is(f.finish(pruned.AttemptID, 0, 0, 0, 0), 200)
		_, err := f.store.Prune(f.Context(), store.Everything(), store.Policy{All: true})
		f.ok(err)
		pruned.Repo = "o/b"
		f.equal(without(f.is(f.post("b", "/v1/runs", pruned), 409), pruned.AttemptID), without(theirs, in.AttemptID))
		f.is(f.post("both", "/v1/runs", in), 409) // the run belongs to another repository
	},
	"a missing token is 401, a missing scope is 403": func(f *fixture) {
		id := f.start()
		requests := append(f.every(id), request{method: "POST", path: "/v1/runs", body: []byte("{}")},
			request{method: "GET", path: "/v1/status"}, request{method: "GET", path: "/v1/query?sql=SELECT+1"})
		for _, r := range requests {
			r.as = "nobody"
			f.is(f.do(r), 401, `"code":"unauthorized"`)
		}
		for _, r := range f.every(id) {
			r.as = "reader"
			if r.method != "GET" {
				f.is(f.do(r), 403, `"code":"forbidden"`)
			}
		}
		f.is(f.do(request{as: "ingester", method: "GET", path: "/v1/status"}), 403)
		f.is(f.do(request{as: "reader", method: "GET", path: "/v1/query?sql=SELECT+1"}), 403, "query")
		f.is(f.do(request{as: "reader", method: "GET", path: "/v1/status"}), 200)
		f.is(f.do(request{as: "ingester", method: "POST", path: "/v1/runs/" + id + "/heartbeat"}), 204)
		f.is(f.do(request{as: "operator", method: "POST", path: "/v1/runs/" + id + "/heartbeat"}), 204)
	},
	"a job's token overrules the client": func(f *fixture) {
		in := f.newStart()
		in.Repo, in.Branch, in.CI = "o/b", "main",
			&store.CI{Provider: "gitlab", Repo: "o/b", RunID: "5", PR: 7, Actor: "mallory", Job: "build", Matrix: `{"os":"x"}`}
		f.is(f.post("job", "/v1/runs", in), 201, `"repo":"o/a"`)
		r := f.run(in.AttemptID)
		f.equal([]string{r.Repo, r.CI.Repo, r.CI.Provider, r.CI.RunID, r.CI.CheckRunID, r.CI.Actor, r.CI.EventName},
			[]string{"o/a", "o/a", "github", "77", "977", "alice", "push"})
		f.equal([]string{r.CI.Job, r.CI.Matrix}, []string{"build", `{"os":"x"}`})
		f.equal(r.CI.PR, 0)
		if r.Git.Branch == "main" {
			f.Error("a job of a topic branch passes for one of main")
		}
	},
	"a job reaches the runs of its own workflow run alone": func(f *fixture) {
		in := f.newStart()
		f.is(f.post("job", "/v1/runs", in), 201)
		f.is(f.post("job", "/v1/runs", in), 200)
		f.is(f.post("otherjob", "/v1/runs", in), 409)
		none := f.attempt()
		other := f.every(none)
		for i, r := range f.every(in.AttemptID) {
			r.as, other[i].as = "otherjob", "otherjob"
			f.equal(without(f.is(f.do(r), 404), in.AttemptID), without(f.is(f.do(other[i]), 404), none))
		}
		f.is(f.do(request{as: "job", method: "POST", path: "/v1/runs/" + in.AttemptID + "/heartbeat"}), 204)
		f.is(f.post("job", "/v1/runs/"+in.AttemptID+"/finish", api.Finish{FinishedAt: f.now}), 200)
	},
	"an owner's token is valid for all its repositories": func(f *fixture) {
		in := f.newStart()
		in.Repo = "o/new"
		f.is(f.post("owner", "/v1/runs", in), 201, `"repo":"o/new"`)
		f.is(f.post("owner", "/v1/runs", in), 200)
		f.is(f.do(request{as: "owner", method: "POST", path: "/v1/runs/" + in.AttemptID + "/heartbeat"}), 204)
		in = f.newStart()
		in.Repo = "x/new"
		f.is(f.post("owner", "/v1/runs", in), 404)
		in.Repo = ""
		f.is(f.post("owner", "/v1/runs", in), 400)
	},
	"readers of a run see what has arrived": func(f *fixture) {
		id := f.start()
		f.is(f.do(request{as: "reader", method: "GET", path: "/v1/runs/" + id}), 200)
	},
	"an operator's runs may be of no repository": func(f *fixture) {
		in := f.newStart()
		in.Repo = ""
		f.is(f.post("operator", "/v1/runs", in), 201, `"run_ref":"build:1"`, `"repo":""`)
	},
}
