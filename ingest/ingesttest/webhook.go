package ingesttest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/store"
)

func secrets() []ingest.WebhookSecret { return []ingest.WebhookSecret{{Secret: secret}} }

// confirm stands in for a forge that has one repository.
func (f *fixture) confirm(_ context.Context, host, name string) (payload.Repository, error) {
	if host != store.DefaultHost || f.forge.ID == 0 {
		return payload.Repository{}, store.Errorf(store.NotFound, "no repository %s", name)
	}
	return f.forge, nil
}

// hook sends a webhook delivery of GitHub.
func (f *fixture) hook(event, body string) answer {
	f.Helper()
	return f.hookOf(secret, event, body)
}

// hookOf sends a delivery of GitHub. The delivery is signed with the given secret.
func (f *fixture) hookOf(secret []byte, event, body string) answer {
	f.Helper()
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(body))
	return f.do(request{as: "nobody", method: "POST", path: "/webhooks/github", body: []byte(body), header: http.Header{
		"Content-Type": {"application/json"}, "X-Github-Event": {event}, "X-Github-Delivery": {digest([]byte(body))},
		"X-Hub-Signature-256": {"sha256=" + hex.EncodeToString(mac.Sum(nil))},
	}})
}

func jobPayload(repo string, run int, conclusion string) string {
	return fmt.Sprintf(`{"action":"completed","workflow_job":{"id":10,"run_id":%d,"run_attempt":1,"conclusion":%q,"completed_at":"2026-03-01T11:59:50Z","labels":[]},"repository":{"id":1,"full_name":%q}}`, run, conclusion, repo)
}

// ofJob starts a run that belongs to a job.
func (f *fixture) ofJob(repo, run string, attempt int, job string) string {
	f.Helper()
	in := f.newStart()
	in.Repo, in.CI = repo, &store.CI{Provider: "github", RunID: run, RunAttempt: attempt, CheckRunID: job}
	f.is(f.post("both", "/v1/runs", in), 201)
	return in.AttemptID
}

func (f *fixture) statuses(attempts ...string) []store.Status {
	f.Helper()
	var list []store.Status
	for _, id := range attempts {
		list = append(list, f.run(id).Status())
	}
	return list
}

const (
	running   = store.StatusRunning
	orphaned  = store.StatusOrphaned
	cancelled = store.StatusCancelled
)

// counted is a store that counts the reads of runs.
type counted struct {
	ingest.Store
	read *int
}

func (c counted) Runs(ctx context.Context, sc store.Scope, f store.RunFilter) ([]store.Run, error) {
	runs, err := c.Store.Runs(ctx, sc, f)
	*c.read += len(runs)
	return runs, err
}

var webhookTests = map[string]func(f *fixture){
	"too much from one address": func(f *fixture) {
		f.serve(func(c *ingest.Config) { c.WebhookSecrets = secrets() })
		send := func(signature string) answer {
			return f.do(request{as: "nobody", method: "POST", path: "/webhooks/github", body: []byte(blank(24 << 20)),
				header: http.Header{"Content-Type": {"application/json"}, "X-Hub-Signature-256": {signature}}})
		}
		for range 2 {
			f.is(send("sha256=00"), 401, "the signature is wrong")
		}
		f.equal(f.is(send("sha256=00"), 429, "too much at a time from this address").header.Get("Retry-After"), "1")
		f.is(send(""), 401, "the signature is wrong")
		f.now = f.now.Add(time.Second)
		f.is(send("sha256=00"), 401)
		f.equal(f.seen.limits, []string{"bytes rate_limited"})
	},
	"too many of one owner": func(f *fixture) {
		f.serve(func(c *ingest.Config) {
			c.WebhookSecrets, c.Limits = secrets(), ingest.Limits{Requests: 0.5, RequestsBurst: 2}
		})
		for i := range 2 {
			f.is(f.hook("workflow_job", jobPayload("o/a", i, "success")), 204)
		}
		a := f.is(f.hook("workflow_job", jobPayload("O/b", 2, "success")), 429, "too many requests")
		f.equal(a.header.Get("Retry-After"), "2")
		f.is(f.hook("workflow_job", jobPayload("other/a", 3, "success")), 204)
		f.equal(f.seen.limits, []string{"requests rate_limited"})
	},
	"the signature decides": func(f *fixture) {
		header := http.Header{"Content-Type": {"application/json"},
			"X-Hub-Signature-256": {"sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"}}
		hello := request{as: "nobody", method: "POST", path: "/webhooks/github", body: []byte("Hello, World!"),
			header: header}
		f.is(f.do(hello), 400, "JSON object") // signed, but not JSON
		for _, signature := range []string{"", "sha256=", "sha256=757107", "sha256=zz",
			"sha1=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
			"sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e18"} {
			header.Set("X-Hub-Signature-256", signature)
			f.is(f.do(hello), 401, `"code":"unauthorized"`)
		}
		f.serve(func(c *ingest.Config) { c.WebhookSecrets = nil })
		f.is(f.do(hello), 404)
	},
	"a job's end orphans only its own runs": func(f *fixture) {
		mine, leg, again, other, theirs := f.ofJob("o/a", "5", 1, "10"), f.ofJob("o/a", "5", 1, "11"),
			f.ofJob("o/a", "5", 2, "10"), f.ofJob("o/a", "6", 1, "10"), f.ofJob("o/b", "5", 1, "10")
		done := f.ofJob("o/a", "5", 1, "10")
		f.is(f.post("a", "/v1/runs/"+done+"/finish",
			map[string]any{"finished_at": f.now, "chunks": 0, "batches": 0, "lines": 0, "exit_code": 0}), 200)
		for range 2 {
			f.is(f.hook("workflow_job", jobPayload("o/a", 5, "failure")), 204)
			f.equal(f.statuses(mine, leg, again, other, theirs, done),
				[]store.Status{orphaned, running, running, running, running, store.StatusOK})
		}
		f.is(f.finish(mine, 1, 0, 0, 0), 200, `"status":"FAIL"`)
	},
	"a job's end reads only its own runs": func(f *fixture) {
		read := 0
		f.serve(func(c *ingest.Config) { c.Store = counted{c.Store, &read} })
		for _, others := range []int{1, 30} {
			for i := range others {
				f.ofJob("o/a", "7", 1, fmt.Sprint(others+i))
			}
			mine := f.ofJob("o/a", fmt.Sprint(others), 1, "10")
			read = 0
			f.is(f.hook("workflow_job", jobPayload("o/a", others, "failure")), 204)
			f.equal(read, 1)
			f.equal(f.statuses(mine), []store.Status{orphaned})
		}
	},
	"a cancelled job's runs were cancelled": func(f *fixture) {
		id := f.ofJob("o/a", "5", 1, "10")
		f.is(f.putChunk(id, piece{text: "one\n"}), 204)
		f.is(f.hook("workflow_job", jobPayload("o/a", 5, "cancelled")), 204)
		f.equal(f.statuses(id), []store.Status{cancelled})
		r := f.run(id)
		if r.Lost == "" || r.FinishedAt.Before(r.StartedAt) || r.Lines != 1 {
			f.Errorf("%+v", r)
		}
	},
	"a workflow run's end orphans those of all jobs": func(f *fixture) {
		one, two, again := f.ofJob("o/a", "5", 1, "10"), f.ofJob("o/a", "5", 1, "11"), f.ofJob("o/a", "5", 2, "12")
		f.is(f.hook("workflow_run", `{"action":"completed","workflow_run":{"id":5,"run_attempt":1,"conclusion":"success","updated_at":"2026-03-01T11:59:50Z"},"repository":{"id":1,"full_name":"o/a"}}`), 204)
		f.equal(f.statuses(one, two, again), []store.Status{orphaned, orphaned, running})
	},
	"a repository gets the name that the forge confirms": func(f *fixture) {
		enrolled := store.EnrolledRepo{Host: store.DefaultHost, ID: 1, Name: "o/a", DefaultBranch: "master",
			EnrolledAt: f.now}
		_, err := f.directory.EnrolRepo(f.Context(), enrolled)
		f.ok(err)
		rename := func(name string) string {
			return `{"action":"opened","repository":{"id":1,"full_name":"` + name + `","default_branch":"main","private":false}}`
		}
		for _, step := range []struct {
			forge payload.Repository // the repository that has the name on the forge
			name  string             // the name in the delivery
			want  string
		}{
			{payload.Repository{}, "o/new", "o/a"},
			{payload.Repository{ID: 2, FullName: "evil/a"}, "evil/a", "o/a"}, // another repository
			{payload.Repository{ID: 1, FullName: "o/new", DefaultBranch: "main"}, "o/new", "o/new"},
			{payload.Repository{ID: 1, FullName: "o/newer", DefaultBranch: "trunk"}, "o/newer", "o/newer"},
			// The delivery came late.
			{payload.Repository{ID: 1, FullName: "o/newer", DefaultBranch: "trunk"}, "o/new", "o/newer"},
			{payload.Repository{ID: 1, FullName: "p/moved", DefaultBranch: "trunk"}, "p/moved", "p/moved"},
		} {
			f.forge = step.forge
			f.is(f.hook("pull_request", rename(step.name)), 204)
			if step.want != "o/a" {
				enrolled.Name, enrolled.DefaultBranch, enrolled.Public = step.want, step.forge.DefaultBranch, true
			}
			got, err := f.directory.EnrolledRepo(f.Context(), store.DefaultHost, 1)
			f.ok(err)
			f.equal(got, enrolled)
		}
		f.is(f.hook("pull_request", `{"repository":{"id":2,"full_name":"o/b"}}`), 204)
		all, err := f.directory.EnrolledRepos(f.Context())
		f.ok(err)
		f.equal(len(all), 1)
	},
	"a rename waits for a forge that cannot be asked": func(f *fixture) {
		_, err := f.directory.EnrolRepo(
			f.Context(), store.EnrolledRepo{Host: store.DefaultHost, ID: 1, Name: "o/a", EnrolledAt: f.now})
		f.ok(err)
		f.serve(func(c *ingest.Config) {
			c.Confirm = func(context.Context, string, string) (payload.Repository, error) {
				return payload.Repository{}, store.Errorf(store.Unavailable, "GitHub does not answer")
			}
		})
		f.is(f.hook("pull_request", `{"repository":{"id":1,"full_name":"o/new"}}`), 503)
		f.serve(func(c *ingest.Config) { c.Confirm = nil })
		f.is(f.hook("pull_request", `{"repository":{"id":1,"full_name":"o/new"}}`), 204)
		got, err := f.directory.EnrolledRepo(f.Context(), store.DefaultHost, 1)
		f.ok(err)
		f.equal(got.Name, "o/a")
	},
	"a repository that is private now is not shown to everybody": func(f *fixture) {
		tell := func(id int, name string, private bool) {
			f.is(f.hook("repository", fmt.Sprintf(`{"action":"privatized","repository":{"id":%d,"full_name":%q,"private":%t}}`,
				id, name, private)), 204)
		}
		public := func(want bool) {
			got, err := f.directory.EnrolledRepo(f.Context(), store.DefaultHost, 1)
			f.ok(err)
			f.equal(got.Public, want)
		}
		enrolled := store.EnrolledRepo{Host: store.DefaultHost, ID: 1, Name: "o/a", Public: true, EnrolledAt: f.now}
		_, err := f.directory.EnrolRepo(f.Context(), enrolled)
		f.ok(err)
		f.forge = payload.Repository{ID: 1, FullName: "o/a"} // GitHub says that the repository is public
		tell(1, "o/a", true)
		public(true)
		f.serve(func(c *ingest.Config) {
			c.Confirm = func(context.Context, string, string) (payload.Repository, error) {
				return payload.Repository{}, store.Errorf(store.NotFound, "no such repository, or it is private")
			}
		})
		tell(1, "o/b", true) // its signature proves nothing about o/a
		tell(2, "o/a", true)
		public(true)
		tell(1, "o/a", true)
		public(false)
		tell(1, "o/a", false)
		public(false)
		_, err = f.directory.EnrolRepo(f.Context(), enrolled)
		f.ok(err)
		f.serve(func(c *ingest.Config) { c.Confirm = nil })
		tell(1, "o/a", true)
		public(false)
	},
	"an owner's secret speaks for its own repositories": func(f *fixture) {
		theirs, older := []byte("secret of p"), []byte("older secret of p")
		f.serve(func(c *ingest.Config) {
			c.WebhookSecrets = []ingest.WebhookSecret{{Owner: "o", Secret: secret}, {Owner: "p", Secret: theirs},
				{Owner: "P", Secret: older}}
		})
		_, err := f.directory.EnrolRepo(
			f.Context(), store.EnrolledRepo{Host: store.DefaultHost, ID: 1, Name: "o/a", EnrolledAt: f.now})
		f.ok(err)
		mine := f.ofJob("o/a", "5", 1, "10")
		f.is(f.hookOf(theirs, "workflow_job", jobPayload("o/a", 5, "cancelled")), 403, "of its owner")
		f.is(f.hookOf(theirs, "workflow_job", jobPayload("p/a", 5, "cancelled")), 204)
		f.is(f.hookOf(older, "workflow_job", jobPayload("p/a", 5, "cancelled")), 204)
		f.is(f.hookOf(theirs, "ping", `{"zen":"x"}`), 204)
		f.equal(f.statuses(mine), []store.Status{running})
		f.forge = payload.Repository{ID: 7, FullName: "p/stolen"}
		f.is(f.hookOf(theirs, "repository", `{"action":"renamed","repository":{"id":1,"full_name":"p/stolen"}}`), 204)
		got, err := f.directory.EnrolledRepo(f.Context(), store.DefaultHost, 1)
		f.ok(err)
		f.equal(got.Name, "o/a")
		f.is(f.hook("workflow_job", jobPayload("o/a", 5, "cancelled")), 204)
		f.equal(f.statuses(mine), []store.Status{cancelled})
	},
	"all else is acknowledged": func(f *fixture) {
		id := f.ofJob("o/a", "5", 1, "10")
		f.is(f.hook("ping", `{"zen":"Keep it logically awesome."}`), 204)
		f.is(f.hook("pull_request", `{"action":"closed","number":7,"repository":{"id":1,"full_name":"o/a"}}`), 204)
		f.is(f.hook("workflow_job", `{"action":"in_progress","workflow_job":{"id":10,"run_id":5,"run_attempt":1},"repository":{"id":1,"full_name":"o/a"}}`), 204)
		f.is(f.hook("workflow_job", `{"action":"completed","workflow_job":null,"repository":null}`), 204)
		f.equal(f.statuses(id), []store.Status{running})
	},
}
