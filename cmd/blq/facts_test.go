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

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// gitIn runs git in a directory and returns its output.
func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	args = append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com", "-C", dir}, args...)
	cmd := exec.Command("git", args...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// documents makes a directory a repository with documents, and returns the commit.
func documents(t *testing.T, dir string, texts ...string) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		gitIn(t, dir, "init", "-q", "-b", "main")
	}
	check(t, os.MkdirAll(filepath.Join(dir, "docs"), 0o755))
	for i, text := range texts {
		check(t, os.WriteFile(filepath.Join(dir, "docs", string(rune('a'+i))+".md"), []byte(text), 0o644))
	}
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "documents")
	return gitIn(t, dir, "rev-parse", "HEAD")
}

// doc returns the first document that the service has of a commit, or the code of the error. "untrusted " comes before
// the text of an untrusted document.
func (s *service) doc(t *testing.T, at string) string {
	t.Helper()
	found, err := facts.Stored{Store: s.store, Blobs: s.blobs, Scope: store.Everything()}.At(t.Context(),
		facts.Query{Repo: "acme/app", At: at, Kind: store.FactDocs})
	if err != nil {
		return string(store.CodeOf(err))
	}
	text, err := found.Read(t.Context(), found.Files()[0])
	check(t, err)
	if found.Untrusted {
		return "untrusted " + string(text)
	}
	return string(text)
}

func TestFactsArePushedOnce(t *testing.T) {
	t.Parallel()
	far, dir := newService(t, nil), t.TempDir()
	first := documents(t, dir, "one\n", "shared\n", "shared\n")
	out, code := printed(t, to(blq(dir, "facts", "push"), far.URL))
	if want := "docs of commit " + first[:12] + " → " + far.URL + "  3 files, 3 objects sent with "; code != 0 ||
		!strings.HasPrefix(out, want) {
		t.Fatalf("exit %d, %q, want %q", code, out, want)
	}
	requests := far.requests.Load()
	out, code = printed(t, to(blq(dir, "facts", "push"), far.URL))
	if code != 0 || !strings.Contains(out, "3 files, all there already") || far.requests.Load() != requests+1 {
		t.Errorf("again: exit %d, %d requests, %q", code, far.requests.Load()-requests, out)
	}
	check(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n"), 0o644))
	documents(t, dir, "one\n")
	gitIn(t, dir, "tag", "v1")
	check(t, os.WriteFile(filepath.Join(dir, "docs", "new.md"), []byte("not committed\n"), 0o644))
	requests = far.requests.Load()
	text, err := to(blq(dir, "facts", "push", "--json"), far.URL).Output()
	var answer factsSent
	if err != nil || json.Unmarshal(text, &answer) != nil || answer.Facts[0].Sent != 0 || answer.Facts[0].Files != 3 ||
		far.requests.Load() != requests+1 {
		t.Errorf("an unchanged set: %v, %d requests, %s", err, far.requests.Load()-requests, text)
	}
	for _, at := range []string{"", "main", "v1", answer.Commit[:9], first} {
		if got := far.doc(t, at); got != "one\n" {
			t.Errorf("at %q: %q", at, got)
		}
	}
	out, _ = printed(t, to(blq(dir, "facts", "push"), far.URL))
	if !strings.Contains(out, "blq: not sent, because it is not committed: 1 file of docs, such as docs/new.md\n") {
		t.Errorf("%q", out)
	}
}

// Secrets from environment variables and tokens of known forms are replaced before facts are sent. Passwords in
// examples stay, and line numbers do not change.
func TestFactsLeaveWithoutSecrets(t *testing.T) {
	t.Parallel()
	far, dir := newService(t, nil), t.TempDir()
	documents(t, dir, "# One\nuse s3cret-of-env or ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8\n"+
		"password: hunter2-example\n", "two\n")
	check(t, os.WriteFile(filepath.Join(dir, "docs", "s3cret-of-env.md"), []byte("three\n"), 0o644))
	documents(t, dir)
	gitIn(t, dir, "tag", "v-s3cret-of-env")
	push := to(blq(dir, "facts", "push"), far.URL)
	push.Env = append(push.Env, "DEPLOY_TOKEN=s3cret-of-env")
	if out, code := printed(t, push); code != 0 || !strings.Contains(out, "2 files, 3 objects") ||
		!strings.Contains(out, "blq: secrets are replaced in 2 files, such as docs/a.md\n") {
		t.Errorf("exit %d, %s", code, out)
	}
	want := "# One\nuse ************* or ****************************************\npassword: hunter2-example\n"
	if got := far.doc(t, "main"); got != want {
		t.Errorf("the service has %q", got)
	}
	if got := far.doc(t, "v-s3cret-of-env"); got != "not_found" {
		t.Errorf("the tag is %q", got)
	}
}

func TestFactsThatBrokeOffGoOn(t *testing.T) {
	t.Parallel()
	var fail atomic.Bool
	fail.Store(true)
	var puts atomic.Int64
	far := newService(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && puts.Add(1) > 1 && fail.Load() { // one request may have all documents
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		return false
	})
	dir := t.TempDir()
	documents(t, dir, "one\n", "two\n", "three\n")
	if out, code := printed(t, to(blq(dir, "facts", "push"), far.URL)); code != 1 {
		t.Fatalf("exit %d, %s", code, out)
	}
	if got := far.doc(t, ""); got != "not_found" {
		t.Errorf("half of it is there: %q", got)
	}
	fail.Store(false)
	puts.Store(0)
	if out, code := printed(t, to(blq(dir, "facts", "push"), far.URL)); code != 0 || puts.Load() > 3 {
		t.Errorf("exit %d, %d objects, %s", code, puts.Load(), out)
	}
	if got := far.doc(t, ""); got != "one\n" {
		t.Error(got)
	}
}

func TestFactsAreShownAndKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	commit := documents(t, dir, "one\n")
	printed(t, blq(dir, "run", "-q", "-n", "build", "--", "true"))
	check(t, os.WriteFile(filepath.Join(dir, "docs", "a.md"), []byte("changed\n"), 0o644))
	show := func(args ...string) query.FactsOfKind {
		t.Helper()
		text, err := blq(dir, append([]string{"facts", "show", "--json"}, args...)...).Output()
		var answer query.FactsAnswer
		if err != nil || json.Unmarshal(text, &answer) != nil || len(answer.Facts) != 1 {
			t.Fatalf("%v: %v, %s", args, err, text)
		}
		return answer.Facts[0]
	}
	if now := show(); !now.Dirty || now.Ref != "" || now.Commit != commit || now.Bytes != 8 {
		t.Errorf("now: %+v", now)
	}
	for _, at := range []string{"main", "build:1", commit[:7]} {
		if then := show("--at", at); then.Dirty || then.Ref != "docs@"+commit[:12] || then.Bytes != 4 {
			t.Errorf("at %s: %+v", at, then)
		}
	}
	if none := show("--exclude", "docs"); len(none.Files) != 0 {
		t.Errorf("excluded: %+v", none)
	}
	out, code := printed(t, blq(dir, "facts", "push", "--keep"))
	if code != 0 || !strings.HasSuffix(out, "  kept, 1 file\n") {
		t.Errorf("exit %d, %q", code, out)
	}
	check(t, os.RemoveAll(filepath.Join(dir, ".git")))
	check(t, os.RemoveAll(filepath.Join(dir, "docs")))
	gitIn(t, dir, "init", "-q")
	if kept := show("--at", "build:1"); kept.Commit != commit || kept.Bytes != 4 {
		t.Errorf("kept: %+v", kept)
	}
	for words, want := range map[string]string{"show poems": `"poems" is not a kind of facts`,
		"show --at nothing": "nothing here", "push": "BLQ_SERVER is not set",
		"push --server http://localhost:1 --repo x": `"x" is not a repository`} {
		out, code := printed(t, blq(dir, append([]string{"facts"}, strings.Fields(words)...)...))
		if code == 0 || !strings.Contains(out, want) || strings.Count(out, "\n") < 2 {
			t.Errorf("%s: exit %d, %q, want %q and what to do", words, code, out, want)
		}
	}
}

// sent returns a service that counts the requests about facts. It answers them with status, unless status returns 0.
func sent(t *testing.T, facts *atomic.Int64, status func() int) *service {
	t.Helper()
	return newService(t, func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, "/v1/facts") {
			return false
		}
		facts.Add(1)
		if code := status(); code != 0 {
			w.WriteHeader(code)
			return true
		}
		return false
	})
}

func TestActionSendsFactsOnceAJob(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	s := sent(t, &requests, func() int { return 0 })
	r := newRunner(t)
	in := map[string]string{"name": "build", "server": s.URL, "token": testToken, "run": "true"}
	r.step(in) // nothing is checked out yet
	r.env["GITHUB_SHA"] = documents(t, r.env["GITHUB_WORKSPACE"], "one\n")
	if requests.Load() != 0 {
		t.Error("facts of nothing were sent")
	}
	off := map[string]string{"facts": "off", "name": "off", "server": s.URL, "token": testToken, "run": "true"}
	r.step(off)
	if _, notes, _ := r.step(in); strings.Contains(notes, "::warning") || requests.Load() != 5 {
		t.Errorf("%d requests, %s", requests.Load(), notes)
	}
	if got := s.doc(t, "main"); got != "one\n" {
		t.Error(got)
	}
	r.step(in)
	if requests.Load() != 5 {
		t.Errorf("a later step made %d requests", requests.Load()-5)
	}
	other := newRunner(t) // another job of the workflow run
	documents(t, other.env["GITHUB_WORKSPACE"], "other\n")
	in["facts"] = "docs poems -docs"
	_, notes, state := other.step(in)
	if state.ExitCode() != 0 || !strings.Contains(notes, `input facts: "poems" is none of`) {
		t.Errorf("exit %d, %s", state.ExitCode(), notes)
	}
}

func TestActionFactsNeverFailAStep(t *testing.T) {
	t.Parallel()
	for status, words := range map[int]string{
		http.StatusForbidden: "the facts of the commit are not sent: ", http.StatusNotFound: "",
		http.StatusServiceUnavailable: "the facts of the commit are not sent yet: ",
	} {
		var requests atomic.Int64
		s := sent(t, &requests, func() int { return status })
		r := newRunner(t)
		documents(t, r.env["GITHUB_WORKSPACE"], "one\n")
		in := map[string]string{"name": "build", "server": s.URL, "token": testToken, "run": "exit 3", "wait": "2"}
		_, notes, state := r.step(in)
		if state.ExitCode() != 3 || strings.Contains(notes, "facts of the commit") != (words != "") ||
			!strings.Contains(notes, words) || requests.Load() == 0 || r.outputs()["run-ref"] != "acme/app@build:1" {
			t.Errorf("status %d: exit %d, %d requests, %s", status, state.ExitCode(), requests.Load(), notes)
		}
		before := requests.Load()
		r.step(in)
		if again := requests.Load() > before; again != (status == http.StatusServiceUnavailable) {
			t.Errorf("status %d: the next step made %d requests", status, requests.Load()-before)
		}
	}
}

func TestActionFactsOfAForkAreUntrusted(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	s := sent(t, &requests, func() int { return 0 })
	r := newRunner(t)
	head := documents(t, r.env["GITHUB_WORKSPACE"], "fork\n")
	event := `{"action":"opened","number":12,"pull_request":{"number":12,"head":{"sha":"` + head +
		`","ref":"main","repo":{"full_name":"evil/app"}},"base":{"sha":"` + strings.Repeat("b", 40) +
		`","ref":"main","repo":{"full_name":"acme/app"}}}}`
	r.env["GITHUB_EVENT_PATH"] = r.file("files/event.json", event)
	r.env["GITHUB_EVENT_NAME"], r.env["GITHUB_REF"] = "pull_request", "refs/pull/12/merge"
	_, notes, _ := r.step(map[string]string{"name": "build", "server": s.URL, "token": testToken, "run": "true"})
	if strings.Contains(notes, "::warning") || requests.Load() == 0 {
		t.Errorf("%d requests, %s", requests.Load(), notes)
	}
	for at, want := range map[string]string{"": "not_found", "main": "not_found", "PR#12": "untrusted fork\n",
		head: "untrusted fork\n"} {
		if got := s.doc(t, at); got != want {
			t.Errorf("at %q: %q, want %q", at, got, want)
		}
	}
}
