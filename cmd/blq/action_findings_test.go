//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/blq-ci/blq/action"
	"github.com/blq-ci/blq/store"
)

// architecture is a project that breaks one of its rules and has a node with a document.
var architecture = map[string]string{
	".beadloom/_graph/graph.yml": "nodes:\n- {ref_id: web, source: web/}\n- {ref_id: db, source: db/, docs: " +
		"[docs/db.md]}\n",
	".beadloom/_graph/rules.yml": "version: 3\nrules:\n- {name: no-db, deny: {from: {ref_id: web}, to: {ref_id: db}}}\n",
	"docs/db.md":                 "The table.\n",
	"web/page.ts":                "import { table } from '../db/table'\n",
	"db/table.ts":                "export const table = {}\n",
}

// commit writes files into the job's workspace, commits them, and begins another job at this commit.
func (r *actionsRunner) commit(files map[string]string) {
	r.Helper()
	for name, text := range files {
		r.file("work/app/app/"+name, text)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=A", "-c",
		"user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "c"}} {
		cmd := r.with(exec.Command("git", args...))
		if out, err := cmd.CombinedOutput(); err != nil {
			r.Fatalf("git %v: %s", args, out)
		}
	}
	out, err := r.with(exec.Command("git", "rev-parse", "HEAD")).Output()
	check(r.T, err)
	r.env["GITHUB_SHA"] = strings.TrimSpace(string(out))
	check(r.T, os.RemoveAll(r.path("temp"))) // another job
	check(r.T, os.MkdirAll(r.path("temp"), 0o755))
}

func TestActionChecksRulesAndDocuments(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	r := newRunner(t)
	in := map[string]string{"run": "echo fine", "name": "build", "server": s.URL, "token": testToken,
		"fail-on": "new-errors", "wait": "60"}
	r.commit(architecture)
	_, notes, state := r.step(in)
	if state.ExitCode() != 0 || !strings.Contains(notes, "blq: acme/app@arch-lint:2 FAIL (exit code 1)") {
		t.Errorf("the first time the step ends with %d: %s", state.ExitCode(), notes)
	}
	got := s.tool(t, "why", `{"ref_id":"web/page.ts","at":"`+r.env["GITHUB_SHA"]+`"}`)
	if strings.Contains(got, "no source files") || !strings.Contains(got, `"ref_id":"db"`) {
		t.Errorf("the service knows no source files: %s", got)
	}
	if _, notes, _ = r.step(in); strings.Contains(notes, "arch-lint") {
		t.Errorf("another step of the job checks again: %s", notes)
	}
	r.commit(map[string]string{"web/page.ts": "//\n\nimport { table } from '../db/table'\n"})
	if _, notes, state = r.step(in); state.ExitCode() != 0 || strings.Contains(notes, "title=new") ||
		!strings.Contains(notes, "file=web/page.ts,line=3,") {
		t.Errorf("a violation has moved, and the step ends with %d: %s", state.ExitCode(), notes)
	}
	r.commit(map[string]string{"web/other.ts": "import '../db/table'\n", "db/table.ts": "export const other = {}\n"})
	_, notes, state = r.step(in)
	for _, want := range []string{
		"::error file=web/other.ts,line=1,title=new%3A arch-lint no-db::web/other.ts imports ../db/table of db",
		"::error file=docs/db.md,line=1,title=new%3A docs-sync symbols_changed::db/table.ts of db",
		"fails the step for 1 new error of acme/app@arch-lint:",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in %s", want, notes)
		}
	}
	if state.ExitCode() != 1 {
		t.Errorf("the step ends with %d", state.ExitCode())
	}
	in["run"] = "exit 3"
	r.commit(map[string]string{"web/third.ts": "import '../db/table'\n"})
	if _, notes, state = r.step(in); state.ExitCode() != 3 || !strings.Contains(notes, "arch-lint") {
		t.Errorf("a command that failed ends with %d: %s", state.ExitCode(), notes)
	}
	in["checks"] = "off"
	r.commit(map[string]string{"web/fourth.ts": "import '../db/table'\n"})
	if _, notes, _ = r.step(in); strings.Contains(notes, "arch-lint") {
		t.Errorf("checks are off: %s", notes)
	}
}

// A document that somebody has confirmed on the server is not stale in a job. If the server does not answer, the job
// only warns.
func TestActionAsksForAttestations(t *testing.T) {
	t.Parallel()
	silent := atomic.Bool{}
	s := newService(t, func(w http.ResponseWriter, r *http.Request) bool {
		if silent.Load() && r.URL.Path == "/v1/ask/attested" {
			http.Error(w, "no", http.StatusServiceUnavailable)
			return true
		}
		return false
	})
	r := newRunner(t)
	in := map[string]string{"run": "echo fine", "name": "build", "server": s.URL, "token": testToken,
		"fail-on": "new-errors", "wait": "60"}
	r.commit(architecture)
	r.step(in)
	r.commit(map[string]string{"db/table.ts": "export const other = {}\n"})
	stale := "title=new%3A docs-sync symbols_changed::db/table.ts of db"
	if _, notes, state := r.step(in); state.ExitCode() != 1 || !strings.Contains(notes, stale) {
		t.Fatalf("exit code %d: %s", state.ExitCode(), notes)
	}
	silent.Store(true)
	r.commit(nil)
	_, notes, state := r.step(in)
	if state.ExitCode() != 0 || !strings.Contains(notes, "whether somebody attested 1 stale pair is not known, so "+
		"docs-sync only warns") || !strings.Contains(notes, "::warning file=docs/db.md,line=1") {
		t.Errorf("the server is silent, and the step ends with %d: %s", state.ExitCode(), notes)
	}
	silent.Store(false)
	at := r.env["GITHUB_SHA"]
	mark, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/ask/mark_synced",
		strings.NewReader(`{"repo":"acme/app","params":{"ref_id":"db","at":"`+at+`"}}`))
	check(t, err)
	mark.Header.Set("Content-Type", "application/json")
	if text := got(t, mark); !strings.Contains(text, `"pairs_synced":1`) {
		t.Fatalf("%s", text)
	}
	if got := s.tool(t, "sync_check", `{"at":"`+at+`"}`); !strings.Contains(got, `"attested_by":"ann"`) {
		t.Errorf("%s", got)
	}
	r.commit(map[string]string{"web/other.ts": "export const x = 1\n"})
	if _, notes, state = r.step(in); state.ExitCode() != 0 || strings.Contains(notes, "docs-sync") {
		t.Errorf("it is attested, and the step ends with %d: %s", state.ExitCode(), notes)
	}
	r.commit(map[string]string{"db/table.ts": "export const third = {}\n"})
	if _, notes, state = r.step(in); state.ExitCode() != 1 || !strings.Contains(notes, stale) {
		t.Errorf("the code has changed since, and the step ends with %d: %s", state.ExitCode(), notes)
	}
}

// In a shallow clone, the action does not check documents, and says so. Without a server, it stores findings as
// artifacts.
func TestActionChecksAShallowClone(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.commit(architecture)
	r.commit(map[string]string{"db/table.ts": "export const other = {}\n"})
	check(t, os.Rename(r.path("work/app/app"), r.path("work/app/all")))
	clone := exec.Command("git", "clone", "-q", "--depth", "1", "file://"+r.path("work/app/all"), r.path("work/app/app"))
	if out, err := clone.CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	_, notes, state := r.step(map[string]string{"run": "true", "fail-on": "errors"})
	if state.ExitCode() != 1 || !strings.Contains(notes, "docs-sync is not recorded: the history of 1 document such as "+
		"docs/db.md is not here; fetch it, in a job with fetch-depth: 0") || strings.Contains(notes, "docs-sync:") {
		t.Errorf("exit code %d: %s", state.ExitCode(), notes)
	}
	runs, _ := filepath.Glob(r.path("temp/blq/artifacts/*/run.json"))
	found := false
	for _, name := range runs {
		text, err := os.ReadFile(name)
		check(t, err)
		var a action.Artifact
		check(t, json.Unmarshal(text, &a))
		found = found || a.Source == "arch-lint" && a.Status == store.StatusFail
	}
	if !found {
		t.Errorf("no artifact of arch-lint among %q: %s", runs, notes)
	}
}

// A job with a shallow clone takes the result of the check arch-lint from another job. It does not take the result of a
// step that is named arch-lint.
func TestActionKnowsItsOwnChecks(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	r := newRunner(t)
	in := map[string]string{"server": s.URL, "token": testToken, "wait": "60", "name": "arch-lint", "checks": "off",
		"run": "echo 'web/page.ts:1:1: error: something else'; echo 'web/page.ts:2:1: error: more'; exit 1"}
	r.commit(architecture)
	r.commit(map[string]string{"db/table.ts": "export const other = {}\n"})
	r.step(in)
	check(t, os.Rename(r.path("work/app/app"), r.path("work/app/all")))
	clone := exec.Command("git", "clone", "-q", "--depth", "1", "file://"+r.path("work/app/all"), r.path("work/app/app"))
	if out, err := clone.CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	in["run"], in["name"], in["checks"] = "true", "build", "auto"
	const taken = "which another job recorded"
	_, notes, _ := r.step(in)
	if strings.Contains(notes, taken) || !strings.Contains(notes, "arch-lint:3 FAIL") {
		t.Errorf("a step with the name of the check counts as the check: %s", notes)
	}
	check(t, os.RemoveAll(r.path("temp/blq")))
	if _, notes, _ = r.step(in); !strings.Contains(notes, "arch-lint is that of acme/app@arch-lint:3, "+taken) {
		t.Errorf("the check of another job is not taken: %s", notes)
	}
}
