//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/blq-ci/blq/store"
)

// inCI gives a command the environment of a job of acme/app on a branch.
func inCI(cmd *exec.Cmd, branch, sha string) *exec.Cmd {
	cmd.Env = append(cmd.Env, "GITHUB_ACTIONS=true", "GITHUB_REPOSITORY=acme/app", "GITHUB_REF=refs/heads/"+branch,
		"GITHUB_REF_NAME="+branch, "GITHUB_REF_TYPE=branch",
		"GITHUB_SHA="+sha, "GITHUB_JOB=ci", "GITHUB_EVENT_NAME=push", "GITHUB_RUN_ID=77", "GITHUB_EVENT_PATH=", "BLQ_SERVER=",
		"BLQ_TOKEN=", "BLQ_REPO=", "NO_COLOR=1")
	return cmd
}

// fifty records fifty runs of many kinds. It calls push after every few runs, and at the end.
func fifty(t *testing.T, dir string, push func()) {
	t.Helper()
	scripts := []string{
		`echo "src/a.c:1:1: error: 'x' undeclared"; echo "src/b.c:2:1: warning: unused 'y'"; exit 2`,
		`echo ok`,
		`printf 'FAILED tests/test_a.py::test_one - assert 1 == 2\n1 failed in 0.1s\n'; exit 1`,
		`echo out; echo "err: fatal" >&2; exit 3`,
		`:`,
		`printf '\033[31mred\033[0m \342\200\256 bidi <b>&amp; \303\274mlaut\n'; kill -TERM $$`,
		`i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo "src/f$i.c:$i:1: error: no $i"; done; exit 1`,
	}
	tools := printedByTools(t, dir, 17)
	for i := range 47 {
		if i%8 == 7 {
			push()
		}
		name := []string{"build", "test", "lint"}[i%3]
		if i >= 30 {
			branch, pull := "main", []string{}
			if i%4 == 0 {
				branch, pull = "feature", []string{"GITHUB_REF=refs/pull/5/merge", "GITHUB_REF_NAME=5/merge",
					"GITHUB_HEAD_REF=feature", "GITHUB_BASE_REF=main", "GITHUB_EVENT_NAME=pull_request"}
			}
			cmd := inCI(blq(dir, "import", "-n", name, tools[i-30]), branch, fmt.Sprintf("%040d", 10+i/5))
			cmd.Env = append(cmd.Env, pull...)
			cmd.Run()
			continue
		}
		if i == 20 {
			orphan(t, dir, name)
			continue
		}
		args := []string{"run", "-q", "-n", name}
		if i == 22 {
			args = append(args, "--timeout", "0.1")
		}
		if i%7 == 3 {
			args = append(args, "--split")
		}
		branch, sha := "main", fmt.Sprintf("%040d", 10+i/5)
		if i%5 == 4 {
			branch = "topic"
		}
		script := scripts[i%7]
		if i == 22 {
			script = "exec sleep 60"
		}
		inCI(blq(dir, append(args, "--", "sh", "-c", script)...), branch, sha).Run()
	}
	for _, lines := range []int{10_000, 20_000, 120_000} {
		inCI(blq(dir, "import", "-n", "big", bigLog(t, dir, lines)), "main", fmt.Sprintf("%040d", 30)).Run()
	}
	push()
}

// bigLog writes a log with the given number of plain lines, and with one more line for an error per 50 of them. A log
// with 120,000 plain lines does not fit into two answers.
func bigLog(t *testing.T, dir string, lines int) string {
	t.Helper()
	var big bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&big, "line %d of a log that does not fit into one answer %s\n", i, strings.Repeat(`"\`, 10))
		if i%50 == 0 {
			fmt.Fprintf(&big, "big%d.c:%d:2: error: number %d of many\n", i%7, i+1, i)
		}
	}
	log := filepath.Join(dir, "big.log")
	if err := os.WriteFile(log, big.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return log
}

// printedByTools writes n logs of real tools to files.
func printedByTools(t *testing.T, dir string, n int) []string {
	t.Helper()
	goldens, err := filepath.Glob("../../ingest/parse/formats/testdata/*/*.txtar")
	if err != nil || len(goldens) < n {
		t.Fatalf("%d goldens, %v", len(goldens), err)
	}
	var files []string
	for i := range n {
		ar, err := txtar.ParseFile(goldens[i*len(goldens)/n])
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if f.Name == "input" {
				file := filepath.Join(dir, fmt.Sprintf("tool%d.log", i))
				if err := os.WriteFile(file, f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
				files = append(files, file)
			}
		}
	}
	if len(files) != n {
		t.Fatalf("%d inputs of %d goldens", len(files), n)
	}
	return files
}

// orphan records a run whose recorder is killed.
func orphan(t *testing.T, dir, name string) {
	t.Helper()
	cmd := inCI(blq(dir, "run", "-n", name, "--", "sh", "-c", `echo "src/z.c:9:1: error: killed"; read x`), "main",
		fmt.Sprintf("%040d", 14))
	in, err := cmd.StdinPipe() // the command waits for stdin and ends when it is closed
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Kill()
	in.Close()
	cmd.Wait()
	printed(t, inCI(blq(dir, "status"), "main", "x")) // this question notices the orphan
}

// both asks a question here and on the server, and compares the outputs.
func both(t *testing.T, dir, url string, args ...string) {
	t.Helper()
	var want, got, wantErr, gotErr bytes.Buffer
	local := inCI(blq(dir, args...), "main", "x")
	local.Stdout, local.Stderr = &want, &wantErr
	local.Run()
	far := inCI(blq(t.TempDir(), append(args, "--remote="+url)...), "main", "x") // in a folder without runs
	far.Env = append(far.Env, "BLQ_TOKEN="+testToken)
	far.Stdout, far.Stderr = &got, &gotErr
	far.Run()
	name := strings.Join(args, " ")
	here, there := want.Bytes(), unremoted(got.Bytes(), url)
	if !bytes.Equal(here, there) && !bytes.Equal(ageless(here), ageless(there)) {
		if want.Len() > 100_000 || got.Len() > 100_000 {
			t.Errorf("%s: %d bytes here, %d there", name, want.Len(), got.Len())
			return
		}
		t.Errorf("%s:\n%s%s", name, cmp.Diff(string(here), string(there)), gotErr.String())
	}
	if a, b := wantErr.String(), string(unremoted(gotErr.Bytes(), url)); a != b {
		t.Errorf("%s says\n%swhere here it is\n%s", name, b, a)
	}
	if a, b := local.ProcessState.ExitCode(), far.ProcessState.ExitCode(); a != b {
		t.Errorf("%s exits with %d here, %d there", name, a, b)
	}
	if want.Len()+wantErr.Len() == 0 && got.Len()+gotErr.Len() > 0 {
		t.Errorf("%s prints nothing here", name)
	}
}

var age = regexp.MustCompile(`(just now|\d+[mhd] ago) *`)

// ageless removes ages, because a minute may pass between two answers.
func ageless(text []byte) []byte { return age.ReplaceAll(text, []byte("ago ")) }

// unremoted removes from next steps the flags that select the server.
func unremoted(text []byte, url string) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte(" --remote "+url), nil), []byte(" --remote="+url), nil)
}

// askedBoth are the questions that the function both asks. They are asked as text and, if possible, as JSON.
var askedBoth = []string{
	"status", "status --branch topic", "history", "history --limit 3", "history test --limit 0",
	"history --status orphaned", "history --commit 00000000",
	"events", "events build:1", "events --limit 3", "events big --limit 0", "events --branch topic --severity warning",
	"events --file src/%",
	"errors", "errors big --limit 5", "warnings build:1", "event build:1:1", "context build:1:1",
	"context big:48:7 --lines 3",
	"inspect build:1:1 --source=false --history", "inspect build:1:1 big:48:2 --source=false",
	"info", "info build:1", "info test:11 --errors --warnings --tail 3", "info big --head 2", "info build:7 --context 2",
	"output build:1", "output big", "output big --tail 3", "output big --tail 100000", "output big --head 5",
	"output big --lines 500-520", "output big --grep number.119 --context 2", "output big --grep error",
	"output big:48:7", "output lint:6", "output build:4", "output build:4 --stream stderr", "output 5",
	"diff", "diff build:4 build:7", "diff build:7", "diff --source test", "diff --branch topic", "history --pr 5",
	"events --pr 5", "status --branch feature", "triage --pr 5", "info lint:21", "info test:23",
	"events lint:33 --limit 0", "diff build:1 --baseline topic",
	"triage", "triage build:7", "triage test:11", "triage big", "triage --branch topic",
	"report", "report build:7 --format brief", "report big --format detailed", "report test:11 --baseline topic",
	"ci check", "ci check build:7 --fail-on new-errors", "ci check lint:6",
	"export rdjson build:7", "export checkstyle big", "export rdjsonl test:11", "export sarif build:1 --baseline nowhere",
	"query --filter severity=error,warning --limit 7", "query --filter tool_name=none",
	// Errors have the same text.
	"event build:99:1", "info nothing", "events --branch mian", "history --status done", "output build:1 --grep (",
	"output build:1 --stream stderr", "query SELEKT", "diff build:1 build:999", "inspect build:1", "errors a:b:c",
}

var sql = []string{
	`SELECT severity, count(*) AS n, avg(ref_line) AS line FROM blq_load_events() GROUP BY 1 ORDER BY 1`,
	`SELECT run_ref, exit_code, error_count, 1e21, 0.00001, 1000000.0, 9007199254740993, NULL, 'a' || char(10) || 'b' FROM blq_load_runs() ORDER BY run_id LIMIT 50`,
	`SELECT * FROM blq_load_events() ORDER BY run_id, event_id LIMIT 300`,
}

// A server gives the same answers as the folder, as text and as JSON. Only ages and the flags that select the server
// may differ. The test sends fifty runs to services on SQLite and PostgreSQL.
func TestServersAnswerAsTheFolderDoes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	far := []*service{newService(t, nil), newPostgresService(t)}
	sent := map[*service]int{}
	push := func() { // soon after the start of each run, because the order of late runs follows other rules
		for _, s := range far {
			out, code := printed(t, to(inCI(blq(dir, "push"), "main", "x"), s.URL))
			if code != 0 {
				t.Fatalf("exit %d: %s", code, out)
			}
			sent[s] += strings.Count(out, "→")
		}
	}
	fifty(t, dir, push)
	for _, s := range far {
		if sent[s] != 50 {
			t.Fatalf("%d runs were sent", sent[s])
		}
		orphans(t, s)
	}
	t.Run("tools", func(t *testing.T) { t.Parallel(); toolsAreEqual(t, dir, far) })
	ask := func(i int, args ...string) {
		t.Run(strings.Join(args, " "), func(t *testing.T) { t.Parallel(); both(t, dir, far[i%2].URL, args...) })
	}
	for i, line := range askedBoth {
		args := strings.Fields(line)
		ask(i, args...)
		ask(i+1, append(args, "--json")...)
	}
	for i, q := range sql {
		ask(i, "query", q, "--limit", "0")
		ask(i+1, "query", q, "--json")
	}
	for i, args := range [][]string{{"output", "big", "--raw"}, {"output", "build:6", "--raw"},
		{"output", "big", "--follow"}, {"output", "big", "--follow", "--tail", "4"}, {"output", "lint:6", "--follow"}} {
		ask(i, args...)
	}
}

// orphans marks the only running run as orphaned, as a service does if a run has no heartbeats.
func orphans(t *testing.T, s *service) {
	t.Helper()
	running, err := s.store.Runs(t.Context(), store.Everything(), store.RunFilter{State: store.StateRunning})
	if err != nil || len(running) != 1 {
		t.Fatalf("%d runs are running there, %v", len(running), err)
	}
	for _, r := range running {
		if marked, err := s.store.OrphanRun(t.Context(), r.Attempt, time.Now().Add(time.Hour)); !marked || err != nil {
			t.Fatalf("not orphaned: %v", err)
		}
	}
}

func TestWhomIsAsked(t *testing.T) {
	t.Parallel()
	far, dir := newService(t, nil), t.TempDir()
	for _, repo := range []string{"acme/app", "acme/lib"} {
		cmd := blq(dir, "run", "-n", "build", "--repo", repo, "--", "sh", "-c", failing)
		cmd.Env = append(cmd.Env, "BLQ_SERVER="+far.URL, "BLQ_TOKEN="+testToken, "BLQ_REPO=")
		printed(t, cmd)
	}
	for name, tt := range map[string]struct {
		env  []string
		args string
		code int
		want string
	}{
		"not by BLQ_SERVER alone": {[]string{"BLQ_SERVER=" + far.URL}, "history", 1, "no .lq folder"},
		"of BLQ_SERVER": {[]string{"BLQ_SERVER=" + far.URL, "BLQ_REPO=acme/lib"}, "errors --remote",
			0, "1:1  a.c:1:1  no one"},
		"with its URL apart": {[]string{"BLQ_REPO=acme/lib"}, "info build --remote " + far.URL,
			0, "acme/lib@build:1 FAIL"},
		"with its URL before": {[]string{"BLQ_REPO=acme/lib"}, "info --remote " + far.URL + " build",
			0, "acme/lib@build:1 FAIL"},
		"of another repository": {[]string{"BLQ_REPO=acme/lib"}, "info --remote=" + far.URL + " --repo acme/app", 0,
			"acme/app@build:1 FAIL"},
		"by the reference": {[]string{"BLQ_REPO=acme/lib"}, "info --remote=" + far.URL + " acme/app@build:1", 0,
			"acme/app@build:1 FAIL"},
		"history of all": {nil, "history --repo all --remote=" + far.URL, 0, "acme/lib@build:1"},
		"status of all":  {nil, "status --repo all --remote=" + far.URL, 0, "acme/app@build:1"},
		"history of one": {nil, "history --repo acme/lib --remote=" + far.URL, 0, "\nbuild:1 "},
		"of all": {[]string{"BLQ_REPO=acme/lib"},
			"query --remote=" + far.URL + " --repo all --filter severity=error", 0, "acme/app@build:1"},
		"SQL of one": {[]string{"BLQ_REPO=acme/lib"},
			"query --remote=" + far.URL + " --json --filter severity=error", 0, `"row_count": 1`},
		"of none": {nil, "status --repo acme/none --remote=" + far.URL,
			1, "no runs of the repository acme/none\n  try: blq status --repo all --remote " + far.URL + "   # asks"},
		"without a server": {nil, "status --remote", 2, "BLQ_SERVER is not set"},
		"--repo alone":     {nil, "status --repo acme/app", 2, "--repo goes with --remote"},
		"a bad repository": {nil, "status --repo app --remote=" + far.URL, 2, "it has the form owner/name"},
		"next steps ask there": {nil, "triage --remote " + far.URL + " --repo acme/app", 0,
			"--git --history --repo acme/app --remote " + far.URL + "   # the source"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := blq(t.TempDir(), strings.Fields(tt.args)...)
			cmd.Env = append(append(cmd.Env, "BLQ_SERVER=", "BLQ_REPO=", "BLQ_TOKEN="+testToken), tt.env...)
			out, code := printed(t, cmd)
			if code != tt.code || !strings.Contains(out, tt.want) {
				t.Errorf("exit %d, want %d; said %q, want %q", code, tt.code, out, tt.want)
			}
		})
	}
}
