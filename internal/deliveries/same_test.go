package deliveries_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/action"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// sameStep is a step of a workflow with its output. In the output, WORKSPACE stands for the path of the workspace.
type sameStep struct {
	name, id string
	dir      string // directory in the workflow file
	run      string // script without its output, which cat prints
	output   string
	passes   bool
}

// token is a secret that GitHub masks in logs, and that the Action finds by its shape.
var token = "ghp_" + strings.Repeat("a1B2", 9)

var sameSteps = []sameStep{
	{name: "Build & test", output: "src/a.c:3:1: error: 'x' undeclared\nWORKSPACE/src/b.c:4:2: warning: unused\n"},
	{dir: "api", run: "go test ./...", output: "--- FAIL: TestTotal (0.00s)\n" +
		"    total_test.go:9: got 3, want 2\nFAIL\n" + "FAIL\texample.com/shop/api\t0.003s\n--- FAIL: TestPay (0.00s)\n    pay_test.go:7: refused\nFAIL\n" +
		"FAIL\texample.com/shop/api/pay\t0.003s\nFAIL\n"},
	{run: "cd lib\ngo vet ./...", output: "# example.com/shop/lib\n./lib.go:3:2: undefined: y\n"},
	{run: "cd web && npx tsc", output: "src/cart.ts(4,7): error TS2322: Type 'string' is not assignable to type " +
		"'number'.\n"},
	{name: "Leg", dir: "${{ matrix.dir }}", output: "main.c:1:1: error: expected ';'\n"},
	{name: "cargo", dir: "crates/core", output: "error[E0425]: cannot find value `y` in this scope\n" +
		" --> crates/core/src/lib.rs:2:5\n  |\n2 |     y\n  |     ^ not found in this scope\n\nerror: could not compile " +
		"`core` (lib) due to 1 previous error\n"},
	{name: "Commands", output: "::group::Lint\n::warning file=src/a.c,line=5::too long\n::endgroup::\n" +
		"::error title=Format::50% of it is wrong\ntoken " + token + "\n"},
	{id: "unit", output: "=== RUN   TestA\n--- PASS: TestA (0.01s)\n=== RUN   TestB\n    b_test.go:3: no\n" +
		"--- FAIL: TestB (0.02s)\nFAIL\n"},
	{name: "Passes", output: "0 errors\n", passes: true},
	{dir: "${{ github.workspace }}/api", run: "./check.sh", output: "total_test.go:2:3: error: bad\n"},
}

// sameFiles are the files of the commit.
var sameFiles = map[string]string{"go.mod": "module example.com/shop\n", "api/total_test.go": "package api\n",
	"api/pay/pay_test.go": "package pay\n", "lib/lib.go": "package lib\n", "src/a.c": "\n", "src/b.c": "\n",
	"web/src/cart.ts": "\n", "web/package.json": `{"name": "web"}`, "legs/two/main.c": "\n", "legs/main.c": "\n",
	"Cargo.toml": "[workspace]\nmembers = [\"crates/core\"]\n", "crates/core/Cargo.toml": "[package]\nname = \"core\"\n",
	"crates/core/src/lib.rs": "fn main() {}\n"}

// script returns the whole script of a step. The script only prints the output from a file of the runner, and exits
// with 0 or 1. The step's own commands are comments in the script.
func (s sameStep) script(file string) string {
	code := map[bool]int{true: 0, false: 1}[s.passes]
	return strings.TrimPrefix(fmt.Sprintf("%s\ncat %s; exit %d", "# "+strings.ReplaceAll(s.run, "\n", "\n# "), file, code),
		"# \n")
}

// same is a job with the steps of sameSteps, recorded by the Action and from GitHub's log of the job.
type same struct {
	*testing.T
	workspace, temp string
	place           *place
}

// onAction runs the steps as the Action does, and returns the runs.
func (s *same) onAction(legJSON string) []store.Run {
	s.Helper()
	for name, value := range map[string]string{"GITHUB_ACTIONS": "true", "RUNNER_TEMP": s.temp, "GITHUB_REPOSITORY": shop,
		"GITHUB_WORKFLOW": "CI", "GITHUB_JOB": "test", "GITHUB_RUN_ID": "5", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_SHA": head,
		"GITHUB_REF": "refs/heads/main", "GITHUB_EVENT_NAME": "push", "GITHUB_ACTOR": "octocat", "BLQ_MATRIX": legJSON,
		"BLQ_CHECK_RUN_ID": "10", "GITHUB_HEAD_REF": "", "GITHUB_BASE_REF": "", "GITHUB_EVENT_PATH": "", "CI": "true"} {
		s.Setenv(name, value)
	}
	s.Chdir(s.workspace)
	for i, step := range sameSteps {
		job := &action.Job{Getenv: os.Getenv, Notes: io.Discard, Version: "test"}
		dir := strings.NewReplacer("${{ matrix.dir }}", "legs/two", "${{ github.workspace }}", s.workspace).Replace(step.dir)
		in := action.Inputs{Run: step.script(s.file(i)), Name: store.NameSource(cmp.Or(step.name, step.id)), Dir: dir,
			Upload: "never"}
		s.Setenv("GITHUB_ACTION", fmt.Sprintf("__run_%d", i))
		job.Run(in, action.ScriptStep(in), nil)
	}
	w, err := project.Open(s.Context(), filepath.Join(s.temp, "blq", "store"))
	check(s.T, err)
	defer w.Store.Close()
	return s.described(w.Store)
}

func (s *same) file(i int) string { return filepath.Join(s.temp, fmt.Sprintf("printed-%d.txt", i)) }

// described returns the runs of a store, oldest first.
func (s *same) described(from store.Store) []store.Run {
	s.Helper()
	runs, err := from.Runs(s.Context(), store.Everything(), store.RunFilter{})
	check(s.T, err)
	slices.Reverse(runs)
	return runs
}

// stepFacts returns the facts of a run, its events and its totals of tests as texts.
func stepFacts(t *testing.T, from store.Store, r store.Run) []string {
	t.Helper()
	list := []string{fmt.Sprintf("%s %s %s dir %s leg %s job %s/%s %s at %s on %s lost %q", r.Source, r.Shape, r.Command,
		r.Cwd, r.Leg(), r.CI.Workflow, r.CI.Job, r.Status(), r.Git.Commit, r.Git.Branch, r.Lost)}
	page, err := from.Events(t.Context(), store.Everything(), store.EventFilter{Runs: store.RunFilter{
		Attempts: []string{r.Attempt}}})
	check(t, err)
	for _, e := range page.Events {
		list = append(list, fmt.Sprintf("%s %s %s:%d:%d %s %q log %d-%d %s", e.Severity, e.Tool, e.File, e.Line, e.Column,
			e.Test, e.Message, e.LogLine, e.LogLineEnd, e.Fingerprint))
	}
	blocks, err := from.TestBlocks(t.Context(), store.Everything(), []string{r.Attempt}, false)
	check(t, err)
	for _, b := range blocks {
		list = append(list, fmt.Sprintf("%+v", b.TestSum))
	}
	return list
}

// workflowOf returns the files of the commit, with a workflow file for the steps. If the parameter called is true,
// another workflow uses this workflow.
func (s *same) workflowOf(called bool) map[string]string {
	files := maps.Clone(sameFiles)
	var b strings.Builder
	b.WriteString("name: CI\non: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n" +
		"        go: [1.25, 1.26]\n        dir: [legs, legs/two]\n    steps:\n      - uses: actions/checkout@v4\n")
	for i, step := range sameSteps {
		text, err := json.Marshal(step.script(s.file(i)))
		check(s.T, err)
		fmt.Fprintf(&b, "      - run: %s\n", text)
		for key, value := range map[string]string{"name": step.name, "id": step.id, "working-directory": step.dir} {
			if value != "" {
				fmt.Fprintf(&b, "        %s: %s\n", key, value)
			}
		}
	}
	at := ".github/workflows/ci.yml"
	if called {
		files[at] = "name: CI\non: push\njobs:\n  all:\n    uses: ./.github/workflows/called.yml\n"
		at = ".github/workflows/called.yml"
	}
	files[at] = b.String()
	return files
}

// printed returns the runner's log lines and annotations for the output of a step.
func (s *same) printed(output string) (lines []string, notes []githubtest.Annotation) {
	levels := map[string]string{"error": "failure", "warning": "warning"}
	for line := range strings.Lines(strings.ReplaceAll(output, "WORKSPACE", s.workspace)) {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), token, "***")
		command, message, _ := strings.Cut(strings.TrimPrefix(line, "::"), "::")
		word, _, _ := strings.Cut(command, " ")
		switch {
		case !strings.HasPrefix(line, "::"):
		case word == "group", word == "endgroup":
			line = "##[" + word + "]" + message
		default:
			n := githubtest.Annotation{Path: ".github", StartLine: 1, EndLine: 1, Level: levels[word], Message: message}
			if strings.Contains(command, "file=") {
				n.Path, n.StartLine, n.EndLine = "src/a.c", 5, 5
			}
			if _, title, ok := strings.Cut(command, "title="); ok {
				n.Title = title
			}
			notes = append(notes, n)
			line = "##[" + word + "]" + message
		}
		lines = append(lines, line)
	}
	return lines, notes
}

// onGitHub makes the job's log, and returns the runs that the service creates from it.
func (s *same) onGitHub(called, zipped bool) []store.Run {
	p := s.place
	p.github.CommitFiles(shop, head, s.workflowOf(called))
	job := githubtest.Job{ID: 10, Name: map[bool]string{false: "", true: "all / "}[called] + "test (1.26, legs/two)",
		Conclusion: "failure", Labels: []string{"ubuntu-latest"}, Files: map[string]string{},
		Steps: []githubtest.Step{{Name: "Set up job", To: 1}, {Name: "Run actions/checkout@v4", From: 1, To: 2}}}
	all := []string{"0 Current runner version: '2.330.0'"}
	checkout := []string{"1 ##[group]Run actions/checkout@v4", "1 with:", "1 ##[endgroup]",
		"1 ##[group]Getting Git version info", "1 Working directory is '" + s.workspace + "'", "1 ##[endgroup]"}
	all, job.Files["2_Run actionscheckout@v4.txt"] = append(all, checkout...), aLog(checkout...)
	var annotations []githubtest.Annotation
	for i, step := range sameSteps {
		at := i*10 + 2
		script := step.script(s.file(i))
		first, _, _ := strings.Cut(script, "\n")
		lines := []string{"##[group]Run " + first}
		for line := range strings.Lines(script) {
			lines = append(lines, "\x1b[36;1m"+strings.TrimSuffix(line, "\n")+"\x1b[0m")
		}
		lines = append(lines, "shell: /usr/bin/bash -e {0}", "env:", "  A: b", "##[endgroup]")
		printed, notes := s.printed(step.output)
		lines = append(lines, printed...)
		of := githubtest.Step{Name: cmp.Or(step.name, "Run "+first), From: at, To: at + 8, Conclusion: "failure"}
		if step.passes {
			of.Conclusion = "success"
		} else {
			lines = append(lines, "##[error]Process completed with exit code 1.")
		}
		for n := range lines {
			lines[n] = fmt.Sprintf("%d %s", at+min(1, n/3), lines[n])
		}
		all = append(all, lines...)
		job.Steps, job.Files[fmt.Sprintf("%d_x.txt", i+3)] = append(job.Steps, of), aLog(lines...)
		annotations = append(annotations, notes...)
	}
	p.github.Annotate(shop, 10, annotations...)
	job.Steps = append(job.Steps, githubtest.Step{Name: "Complete job", From: 190, To: 191})
	if job.Log = aLog(append(all, "190 Cleaning up orphan processes")...); zipped {
		job.Log = ""
	}
	p.github.SetRun(shop, githubtest.Run{ID: 5, HeadSHA: head, Jobs: []githubtest.Job{job}})
	p.jobEnded(10)
	p.same(p.dead(), []string(nil))
	return s.described(p.store)
}

// The runs that the service reads from a job's log equal the runs that the Action records: their facts, events and
// tests.
func TestALogGivesTheSameAsTheAction(t *testing.T) {
	s := &same{T: t, workspace: filepath.Join(t.TempDir(), "shop", "shop"), temp: t.TempDir()}
	for name, text := range sameFiles {
		file := filepath.Join(s.workspace, name)
		check(t, os.MkdirAll(filepath.Dir(file), 0o755))
		check(t, os.WriteFile(file, []byte(text), 0o644))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@example.com",
		"commit", "-qm", "x"}} {
		out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", s.workspace}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	for i, step := range sameSteps {
		text := strings.ReplaceAll(step.output, "WORKSPACE", s.workspace)
		check(t, os.WriteFile(s.file(i), []byte(text), 0o600))
	}
	want := s.onAction(`{"go": 1.26, "dir": "legs/two"}`)
	w, err := project.Open(context.Background(), filepath.Join(s.temp, "blq", "store"))
	check(t, err)
	defer w.Store.Close()
	for name, way := range map[string]struct{ called, zipped bool }{"plain": {}, "zip": {zipped: true},
		"called workflow": {called: true}} {
		t.Run(name, func(t *testing.T) {
			of := *s
			of.T, of.place = t, newPlace(t, sqlitetest.Open(t))
			of.place.installed = of.place.github.Install(of.place.app.ID, "acme", []string{shop}, "actions: read",
				"checks: write", "pull-requests: write", "contents: read")
			got := of.onGitHub(way.called, way.zipped)
			if len(got) != len(want) || len(want) != len(sameSteps) {
				t.Fatalf("%d runs, the Action has %d, want %d", len(got), len(want), len(sameSteps))
			}
			for i := range want {
				of.place.same(stepFacts(t, of.place.store, got[i]), stepFacts(t, w.Store, atHead(want[i])))
			}
		})
	}
}

// atHead returns a run with the commit and branch of its job on GitHub. The local repository of this test has others.
func atHead(r store.Run) store.Run {
	r.Git.Commit, r.Git.Branch = head, "main"
	return r
}
