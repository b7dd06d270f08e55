//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

// to makes a command use a server.
func to(cmd *exec.Cmd, url string) *exec.Cmd {
	cmd.Env = append(cmd.Env, "BLQ_SERVER="+url, "BLQ_TOKEN="+testToken, "BLQ_REPO=acme/app")
	return cmd
}

// printed runs a command. It returns stdout and stderr of the command as one text, and the exit code.
func printed(t *testing.T, cmd *exec.Cmd) (string, int) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

const failing = `echo "a.c:1:1: error: no one"; echo "b.c:2:1: warning: hm"; exit 3`

func (s *service) runs(t *testing.T) []store.Run {
	t.Helper()
	runs, err := s.store.Runs(t.Context(), store.Everything(), store.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

func TestPushSendsWhatTheServerDoesNotHave(t *testing.T) {
	t.Parallel()
	far, dir := newService(t, nil), t.TempDir()
	for _, name := range []string{"build", "test"} {
		printed(t, blq(dir, "run", "-q", "-n", name, "--", "sh", "-c", failing))
	}
	out, code := printed(t, to(blq(dir, "push"), far.URL))
	if want := "build:1 → acme/app@build:1\ntest:2 → acme/app@test:2\n"; out != want || code != 0 {
		t.Fatalf("exit %d, said %q, want %q", code, out, want)
	}
	runs := far.runs(t)
	if len(runs) != 2 || runs[0].Status() != store.StatusFail || runs[0].Errors != 1 || runs[0].Warnings != 1 ||
		*runs[0].ExitCode != 3 {
		t.Fatalf("there: %+v", runs)
	}
	requests := far.requests.Load()
	if out, code := printed(t, to(blq(dir, "push"), far.URL)); code != 0 || !strings.HasPrefix(out, "nothing to send") ||
		far.requests.Load() != requests {
		t.Errorf("once more: exit %d, %q, %d requests", code, out, far.requests.Load()-requests)
	}
	printed(t, blq(dir, "run", "-q", "-n", "build", "--", "true"))
	text, err := to(blq(dir, "push", "--json"), far.URL).Output()
	var answer struct{ Runs []pushed }
	if err != nil || json.Unmarshal(text, &answer) != nil || len(answer.Runs) != 1 ||
		answer.Runs[0].Ref != "acme/app@build:3" || answer.Runs[0].Status != "sent" {
		t.Errorf("%v, %s", err, text)
	}
	if out, code := printed(t, to(blq(dir, "push", "--all"), far.URL)); code != 0 || strings.Count(out, "→") != 3 ||
		len(far.runs(t)) != 3 {
		t.Errorf("all: exit %d, %q", code, out)
	}
}

func TestPushSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	far, dir := newService(t, nil), t.TempDir()
	printed(t, blq(dir, "run", "-q", "-n", "build", "--", "sh", "-c", failing))
	for name, tt := range map[string]struct {
		env  []string
		args []string
		code int
		want string
	}{
		"no server": {
			nil, nil, 2, "blq: which server? BLQ_SERVER is not set\n  try: blq push --server https://blq.example.com\n"},
		"no URL":     {nil, []string{"--server", "https://blq.example.com?token=s3cret"}, 2, "nothing after ?"},
		"a password": {nil, []string{"--server", "https://u:s3cret@blq.example.com"}, 2, "must not hold a password"},
		"no token":   {[]string{"BLQ_SERVER=" + far.URL}, nil, 1, "1 run not sent to " + far.URL + ": "},
		"wrong token": {[]string{"BLQ_SERVER=" + far.URL, "BLQ_TOKEN=s3cret"},
			nil, 1, "  try: export BLQ_TOKEN=…   # a token of 127.0.0.1"},
		"wrong repo": {[]string{"BLQ_SERVER=" + far.URL}, []string{"--repo", "app"}, 2, `"app" is not a repository`},
		"no run":     {[]string{"BLQ_SERVER=" + far.URL}, []string{"build:9"}, 1, "build:9"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := blq(dir, append([]string{"push"}, tt.args...)...)
			cmd.Env = append(append(cmd.Env, "BLQ_SERVER=", "BLQ_TOKEN=", "BLQ_REPO="), tt.env...)
			out, code := printed(t, cmd)
			if code != tt.code || !strings.Contains(out, tt.want) || strings.Contains(out, "s3cret") {
				t.Errorf("exit %d, want %d; said %q, want %q", code, tt.code, out, tt.want)
			}
		})
	}
}

// A secret may be unknown when a run is recorded, but known when the run is sent. blq push must not send such a secret.
func TestPushRemovesWhatIsSecretNow(t *testing.T) {
	t.Parallel()
	far, dir := newService(t, nil), t.TempDir()
	printed(
		t, blq(dir, "run", "-q", "-n", "build", "--", "sh", "-c", `echo "a.c:1:1: error: opens with blue-Heron-71"; exit 3`))
	push := to(blq(dir, "push"), far.URL)
	push.Env = append(push.Env, "VAULT_PASSWORD=blue-Heron-71")
	if out, code := printed(t, push); code != 0 || !strings.Contains(out, "acme/app@build:1") {
		t.Fatalf("exit %d, said %q", code, out)
	}
	for _, args := range [][]string{{"events", "--json"}, {"output", "build:1"}, {"info", "build:1", "--json"}} {
		out, code := printed(t, to(blq(dir, append(args, "--remote", far.URL)...), far.URL))
		if code > 1 || strings.Contains(out, "Heron") || !strings.Contains(out, "build") &&
			!strings.Contains(out, "opens with") {
			t.Errorf("%v: exit %d, %q", args, code, out)
		}
	}
}

func TestRunStreamsToAServer(t *testing.T) {
	t.Parallel()
	far, dir := newService(t, nil), t.TempDir()
	cmd := blq(dir, "run", "-n", "build", "--remote", far.URL, "--", "sh", "-c", failing)
	cmd.Env = append(cmd.Env, "BLQ_TOKEN="+testToken, "BLQ_REPO=acme/app", "BLQ_SERVER=")
	out, code := printed(t, cmd)
	if code != 3 || !strings.Contains(out, "blq: sent to "+far.URL+" as acme/app@build:1\n") {
		t.Fatalf("exit %d, said %q", code, out)
	}
	if runs := far.runs(t); len(runs) != 1 || runs[0].State != store.StateCompleted || runs[0].Errors != 1 {
		t.Errorf("there: %+v", runs)
	}
	if out, _ := printed(t, to(blq(dir, "push"), far.URL)); !strings.HasPrefix(out, "nothing to send") {
		t.Errorf("push after it: %q", out)
	}
	if out, code := printed(t, to(blq(dir, "run", "-n", "build", "--remote=off", "--", "true"), far.URL)); code != 0 ||
		strings.Contains(out, "sent") || len(far.runs(t)) != 1 {
		t.Errorf("off: exit %d, said %q", code, out)
	}
	if out, code := printed(t, to(blq(dir, "run", "-n", "build", "--", "true"), far.URL)); code != 0 ||
		!strings.Contains(out, "sent to") {
		t.Errorf("by BLQ_SERVER: exit %d, said %q", code, out)
	}
}

func TestALogCanBeReadThereWhileItGrows(t *testing.T) {
	t.Parallel()
	far, dir := newService(t, nil), t.TempDir()
	cmd := to(blq(dir, "run", "-n", "slow", "--", "sh", "-c", "echo first; read x; echo last"), far.URL)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Process.Kill() })
	until := time.Now().Add(time.Minute)
	for len(far.runs(t)) == 0 || far.runs(t)[0].Bytes == 0 {
		if time.Now().After(until) {
			t.Fatal("nothing came")
		}
	}
	if r := far.runs(t)[0]; r.State != store.StateRunning {
		t.Errorf("it is %s there", r.State)
	}
	in.Close()
	cmd.Wait()
	if r := far.runs(t)[0]; r.State != store.StateCompleted || r.Lines != 2 {
		t.Errorf("it is %s there, with %d lines", r.State, r.Lines)
	}
}

func TestAServerNeverChangesARun(t *testing.T) {
	t.Parallel()
	status := func(code int) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(code); return true }
	}
	finish := func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/finish") {
			return false
		}
		panic(http.ErrAbortHandler)
	}
	for name, tt := range map[string]struct {
		front func(http.ResponseWriter, *http.Request) bool
		want  string
	}{
		"hangs": {func(_ http.ResponseWriter, r *http.Request) bool {
			r.Body.Read(make([]byte, 1<<20))
			<-r.Context().Done()
			return true
		}, "no answer in time"},
		"500": {status(500), "answered 500"},
		"401": {status(401), "answered 401"},
		"413": {status(413), "answered 413"},
		"429": {func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(429)
			return true
		}, "answered 429"},
		"no JSON": {func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, "<html>"); return true },
			"not blqd's JSON"},
		"cut at the end": {finish, "to its end (1 of 1 piece of its log)"},
		"dead":           {nil, "cannot reach"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, url := t.TempDir(), "http://127.0.0.1:1"
			if tt.front != nil {
				url = newService(t, tt.front).URL
			}
			out, code := printed(t, to(blq(dir, "run", "-n", "build", "--remote-wait", "0.7", "--", "sh", "-c", failing), url))
			warning := out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:]
			if code != 3 || !strings.HasPrefix(warning, "blq: build:1 is not sent") || !strings.Contains(warning, tt.want) ||
				!strings.HasSuffix(warning, ": blq push build:1 --server "+url+"\n") {
				t.Errorf("exit %d, said %q", code, out)
			}
			if strings.Contains(out, testToken) {
				t.Error("the token was shown")
			}
		})
	}
}
