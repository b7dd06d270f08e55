package ingesttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// tool returns what a tool answers over MCP.
func (f *fixture) tool(as, name string, arguments map[string]any) string {
	f.Helper()
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": name, "arguments": arguments}})
	f.ok(err)
	r := httptest.NewRequest("POST", "http://127.0.0.1/mcp", bytes.NewReader(message))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	w := httptest.NewRecorder()
	f.tools.Handler(mcp.HTTPConfig{}).ServeHTTP(w, r.WithContext(auth.With(r.Context(), callers[as])))
	var answer struct {
		Result struct{ Content []struct{ Text string } }
	}
	f.ok(json.Unmarshal(w.Body.Bytes(), &answer))
	if len(answer.Result.Content) == 0 {
		f.Fatalf("%s", w.Body)
	}
	return answer.Result.Content[0].Text
}

// failed records a run that failed.
func (f *fixture) failed(as, repo string) string {
	f.Helper()
	in := f.newStart()
	in.Repo = repo
	f.is(f.post(as, "/v1/runs", in), 201)
	log := chunkRequest(
		in.AttemptID, piece{text: "gcc -c main.c\nsrc/main.c:10:5: error: it broke\nmake: *** [all] Error 1\n"})
	log.as = as
	f.is(f.do(log), 204)
	events := request{as: as, method: "PUT", path: "/v1/runs/" + in.AttemptID + "/events/0",
		body: []byte(event(1, "it broke"))}
	f.is(f.do(events), 204)
	code := 2
	f.is(f.post(as, "/v1/runs/"+in.AttemptID+"/finish",
		api.Finish{FinishedAt: f.now, ExitCode: &code, Chunks: 1, Batches: 1, Lines: 3}), 200)
	return in.AttemptID
}

// calls returns the arguments of one call of each tool. Most calls are about the run with the reference ref. The calls
// of status, history and tests are about all runs that the caller may see.
func calls(ref string) map[string]map[string]any {
	return map[string]map[string]any{
		"triage": {"ref": ref}, "summarize": {"ref": ref}, "query": {"filter": "run_ref=" + ref}, "events": {"ref": ref},
		"inspect": {"ref": ref + ":1"},
		"output":  {"ref": ref, "tail": "2"}, "info": {"ref": ref, "context": "1"}, "status": {}, "history": {},
		"tests": {"show": "failing"},
	}
}

func (f *fixture) ask(as, tool string, arguments map[string]any) answer {
	f.Helper()
	q := url.Values{}
	for k, v := range arguments {
		q.Set(k, fmt.Sprint(v))
	}
	return f.do(request{as: as, method: "GET", path: "/v1/" + tool + "?" + q.Encode()})
}

var askTests = map[string]func(f *fixture){
	"answers are those of the tools": func(f *fixture) {
		f.failed("a", "o/a")
		f.failed("a", "o/a")
		for _, tool := range f.tools.Questions() {
			if calls("")[tool] == nil {
				f.Errorf("the tool %s has no call here: add one", tool)
			}
		}
		for tool, arguments := range calls("o/a@build:2") {
			a := f.is(f.ask("a", tool, arguments), 200)
			f.equal(strings.TrimSuffix(string(a.body), "\n"), f.tool("a", tool, arguments))
		}
		f.is(f.ask("a", "events", map[string]any{"ref": "o/a@build:2"}), 200, `"it broke"`)
	},
	"a job learns what is new in its own run, and in no other": func(f *fixture) {
		first, second := f.failed("a", "o/a"), f.failed("a", "o/a")
		f.is(f.do(request{as: "a", method: "GET", path: "/v1/runs/" + second + "/check"}), 200, `"fail_on":"new-errors"`,
			`"run_ref":"o/a@build:2"`, `"new_count":0`, `"passed":true`)
		f.is(f.do(request{as: "a", method: "GET", path: "/v1/runs/" + first + "/check"}), 200, `"kind":"none"`)
		f.is(f.do(request{as: "b", method: "GET", path: "/v1/runs/" + second + "/check"}), 404)
	},
	"a token that may only send reads no text": func(f *fixture) {
		path := "/v1/runs/" + f.failed("a", "o/a") + "/check"
		f.is(f.do(request{as: "a", method: "GET", path: path}), 200, `"ref":"o/a@1:1"`, "it broke", "main.c")
		a := f.is(f.do(request{as: "ingester", method: "GET", path: path}), 200, `"ref":"o/a@1:1"`)
		if strings.Contains(string(a.body), "it broke") || strings.Contains(string(a.body), "main.c") {
			f.Errorf("%s", a.body)
		}
	},
	"lists are repeated": func(f *fixture) {
		f.failed("a", "o/a")
		f.failed("a", "o/a")
		f.failed("a", "o/a")
		a := f.is(f.do(request{method: "GET", path: "/v1/events?run_ids=1&run_ids=3"}), 200, "build:1", "build:3")
		if strings.Contains(string(a.body), "build:2") {
			f.Errorf("%s", a.body)
		}
	},
	"a running run can be read up to its last chunk": func(f *fixture) {
		id := f.start()
		f.is(f.putChunk(id, piece{text: "one\n"}), 204)
		f.is(f.ask("a", "output", map[string]any{"ref": id}), 200, `one\n`)
		f.is(f.putChunk(id, piece{seq: 1, text: "two\n", line: 2, offset: 4}), 204)
		f.is(f.ask("a", "output", map[string]any{"ref": id}), 200, `one\ntwo\n`)
		f.is(f.ask("a", "info", map[string]any{"ref": id}), 200, "RUNNING")
	},
	"a run of somebody else is answered as one that does not exist": func(f *fixture) {
		id := f.failed("a", "o/a")
		f.failed("b", "o/b")
		for tool, arguments := range calls("o/a@build:1") {
			theirs := f.ask("b", tool, arguments)
			if strings.Contains(string(theirs.body), "it broke") && arguments["ref"] != nil {
				f.Errorf("%s: %s", tool, theirs.body)
			}
			nobodys := f.ask("b", tool, calls("o/x@build:1")[tool])
			f.equal(theirs.status, nobodys.status)
			f.equal(strings.ReplaceAll(string(theirs.body), "o/a", "o/x"), string(nobodys.body))
		}
		none := f.attempt()
		f.equal(without(f.is(f.ask("b", "info", map[string]any{"ref": id}), 404), id),
			without(f.is(f.ask("b", "info", map[string]any{"ref": none}), 404), none))
		f.equal(f.run(id).Status(), store.StatusFail)
	},
	"the command line's questions are answered whole": func(f *fixture) {
		id := f.failed("a", "o/a")
		ask := func(as, question, params string) answer {
			return f.do(request{as: as, method: "POST", path: "/v1/ask/" + question,
				body: []byte(`{"repo":"o/a","params":` + params + `}`), header: http.Header{"Content-Type": {"application/json"}}})
		}
		f.is(ask("a", "events", `{"Ref":"build:1"}`), 200, `"it broke"`)
		f.is(ask("a", "info", `{"Ref":"`+id+`"}`), 200, `"o/a@build:1"`)
		f.is(ask("b", "info", `{"Ref":"`+id+`"}`), 404)
		f.is(ask("b", "events", `{"Ref":"build:1"}`), 404)
		f.is(ask("a", "export", `{"form":"rdjson","ref":"build:1"}`), 200, `it broke`, `"media_type":"application/json"`)
		f.is(ask("b", "export", `{"form":"rdjson","ref":"build:1"}`), 404)
		f.is(ask("b", "export", `{"form":"junit","ref":"`+id+`"}`), 404)
		f.is(ask("reader", "query", `{"SQL":"SELECT 1"}`), 403, "query")
		f.is(ask("a", "diff", `{}`), 403, "does not answer diff")
		f.is(ask("a", "colours", `{}`), 404)
		f.is(ask("a", "status", `{"brnch":"main"}`), 400, `did you mean branch?`)
		f.is(ask("nobody", "status", `{}`), 401)
	},
	"each question and tool needs its scope": func(f *fixture) {
		for _, row := range questions.All() {
			for as, p := range callers {
				want := auth.Allow(p, auth.Scope(row.Scope)) == nil
				asked := request{as: as, method: "POST", path: "/v1/ask/" + row.Name, body: []byte(`{}`),
					header: http.Header{"Content-Type": {"application/json"}}}
				for _, r := range []request{asked, {as: as, method: "GET", path: "/v1/" + row.Tool}} {
					a := f.do(r)
					refused := a.status == 401 || a.status == 403 && strings.Contains(string(a.body), "scope")
					if refused == want {
						f.Errorf("%s %s as %s: %d %s", r.method, r.path, as, a.status, a.body)
					}
				}
			}
		}
		for _, path := range []string{"/v1/ask/query", "/v1/ask/%71uery", "/v1/ask/clean"} {
			f.is(f.do(request{as: "reader", method: "POST", path: path, body: []byte(`{}`),
				header: http.Header{"Content-Type": {"application/json"}}}), 403)
		}
		f.is(f.ask("reader", "clean", nil), 403, "scope admin")
		f.is(f.ask("nobody", "nosuch", nil), 401)
		f.is(f.ask("reader", "nosuch", nil), 404)
	},
	"tools that are no questions are refused": func(f *fixture) {
		f.is(f.ask("a", "colours", nil), 404, `"code":"not_found"`, "there are triage")
		f.is(f.ask("a", "diff", nil), 403, `"code":"forbidden"`, "disabled")
		f.is(f.ask("a", "run", map[string]any{"command": "make"}), 403)
		f.is(f.ask("operator", "run", map[string]any{"command": "make"}), 403, "disabled")
		f.is(f.ask("a", "events", map[string]any{"limit": "many"}), 400, `"code":"invalid"`, "limit must be")
		f.is(f.ask("a", "events", map[string]any{"colour": "red"}), 400, "colour")
		f.is(f.do(request{method: "GET", path: "/v1/events?%zz"}), 400, "query")
		f.is(f.ask("a", "info", map[string]any{"ref": "build:99"}), 404, "build:99", "next_steps")
	},
}
