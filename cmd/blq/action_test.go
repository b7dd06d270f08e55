//go:build unix

package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unicode/utf16"

	"github.com/blq-ci/blq/action"
	"github.com/blq-ci/blq/store"
)

func TestActionTellsOfAStep(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	out, notes, state := r.step(map[string]string{"run": brokenBuild, "name": "build"})
	if state.ExitCode() != 2 || !strings.HasPrefix(out, "main.c:10:5: error") || strings.Count(out, "\n") != 2 {
		t.Errorf("exit code %d, output %q", state.ExitCode(), out)
	}
	for _, want := range []string{
		"::error col=5,file=main.c,line=10,title=gcc::'x' undeclared\n",
		"::warning col=5,file=main.c,line=12,title=gcc -Wunused-variable::",
		"blq: acme/app@build:1 FAIL (exit code 2) in ",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in %s", want, notes)
		}
	}
	got := r.outputs()
	if got["run-ref"] != "acme/app@build:1" || got["status"] != "FAIL" || got["errors"] != "1" || got["warnings"] != "1" ||
		got["new-errors"] != "" || got["url"] != "" {
		t.Errorf("outputs %q", got)
	}
	summary, _ := os.ReadFile(r.env["GITHUB_STEP_SUMMARY"])
	if !strings.Contains(string(summary), "❌ `build` failed: 1 error") {
		t.Errorf("summary %s", summary)
	}
	var a action.Artifact
	text, err := os.ReadFile(filepath.Join(got["artifacts"], action.ArtifactRun))
	check(t, err)
	check(t, json.Unmarshal(text, &a))
	if a.Source != "build" || a.Status != store.StatusFail || a.CI == nil || a.CI.Job != "ci" {
		t.Errorf("artifact %s", text)
	}
	page, err := os.ReadFile(filepath.Join(got["artifacts"], "report.html"))
	check(t, err)
	for _, want := range []string{"main.c:10", "undeclared", "zstd -d log.zst"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q: %s", want, page)
		}
	}
}

// Wherever blq quotes the text of a log, the runner must not read this text as a workflow command.
func TestActionQuotesNoCommands(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	hostile := `printf 'a.c:1:1: error: \033[0m@everyone %%0A::add-mask::x ![i](http://e.example/i.png) <b>\n::set-output name=x::y\na,b:c.c:2:1: error: ##[error]two\n'; exit 1`
	_, notes, _ := r.step(map[string]string{"run": hostile, "name": "x%0A::error::y"})
	r.nextStep()
	notes = strings.TrimPrefix(notes, "::add-mask::"+r.env["BLQ_MASK_KEY"]+"\n")
	for line := range strings.Lines(notes) {
		if !strings.HasPrefix(line, "::error ") && !strings.HasPrefix(line, "blq: ") &&
			!strings.HasPrefix(line, "::warning title=blq") {
			t.Errorf("a line of ours is %q", line)
		}
	}
	if !strings.Contains(notes, "%250A::add-mask") {
		t.Errorf("the message is not escaped: %s", notes)
	}
	summary, _ := os.ReadFile(r.env["GITHUB_STEP_SUMMARY"])
	if strings.Contains(string(summary), "\n![") ||
		strings.Contains(strings.ReplaceAll(string(summary), "`", ""), "</b>") {
		t.Errorf("summary %s", summary)
	}
}

func TestActionTakesWrongInputsAsMistakes(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	out, notes, state := r.step(map[string]string{
		"run": "echo ran; exit 5", "fail-on": "sometimes", "timeout": "soon", "annotations": "perhaps", "format": "nosuch",
		"upload": "now", "problem-matchers": "missing.json", "server": "::not a url::", "token": "t",
	})
	if out != "ran\n" || state.ExitCode() != 5 {
		t.Errorf("output %q, exit code %d", out, state.ExitCode())
	}
	if n := strings.Count(notes, "::warning"); n != 1 {
		t.Errorf("%d warnings, want one: %s", n, notes)
	}
	for _, name := range []string{"fail-on", "timeout", "annotations", "format", "upload", "problem-matchers", "server"} {
		if !strings.Contains(notes, "input "+name+": ") {
			t.Errorf("nothing says that %s is wrong: %s", name, notes)
		}
	}
}

func TestActionGateOnlyFails(t *testing.T) {
	t.Parallel()
	warned := `echo "main.c:10:5: error: 'x' undeclared"`
	for _, tt := range []struct {
		run, failOn string
		want        int
	}{{warned, "never", 0}, {warned, "errors", 1}, {warned, "new-errors", 0}, {warned + "; exit 3", "errors", 3},
		{"echo fine", "errors", 0}} {
		r := newRunner(t)
		if _, notes, state := r.step(map[string]string{"run": tt.run, "fail-on": tt.failOn}); state.ExitCode() != tt.want {
			t.Errorf("%s with fail-on %s ends with %d, want %d: %s", tt.run, tt.failOn, state.ExitCode(), tt.want, notes)
		}
	}
}

// If fail-on fails a step, neither the outputs nor the summary say that the step passed.
func TestActionGateIsToldEverywhere(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	_, notes, state := r.step(map[string]string{"run": `echo "main.c:10:5: error: 'x' undeclared"`, "fail-on": "errors",
		"name": "build"})
	if got := r.outputs(); got["status"] != "FAIL" || state.ExitCode() != 1 || !strings.Contains(notes, "build:1 FAIL (fail-on: errors) in ") {
		t.Errorf("outputs %q, exit code %d: %s", got, state.ExitCode(), notes)
	}
	summary, err := os.ReadFile(r.env["GITHUB_STEP_SUMMARY"])
	check(t, err)
	if strings.Contains(string(summary), "✅") || !strings.Contains(string(summary), "### ❌ `build` fails by `fail-on: errors`: 1 error; "+
		"its command passed") {
		t.Errorf("summary %s", summary)
	}
}

func TestActionSendsAndHearsWhatIsNew(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	s.page = "https://blq.example.com/ui/run/"
	r := newRunner(t)
	in := map[string]string{"name": "build", "server": s.URL, "token": testToken, "fail-on": "new-errors"}
	in["run"] = "echo 'a.c:1:1: error: old one'; echo 'a.c:2:1: error: other'; test -z $AGAIN || echo 'b.c:1:1: " +
		"error: fresh'; test -z $AGAIN || echo 'c.c:1:1: warning: odd'"
	r.step(in)
	check(t, os.RemoveAll(r.path("temp"))) // another job: its runs have other numbers than on the server
	check(t, os.MkdirAll(r.path("temp"), 0o755))
	r.env["AGAIN"], r.env["GITHUB_RUN_ID"] = "1", "78"
	r.env["GITHUB_SHA"] = strings.Repeat("b", 40)
	r.env["GITHUB_OUTPUT"] = r.path("files/second")
	_, notes, state := r.step(in)
	got := r.outputs()
	if got["run-ref"] != "acme/app@build:2" || got["new-errors"] != "1" || state.ExitCode() != 1 {
		t.Errorf("outputs %q, exit code %d: %s", got, state.ExitCode(), notes)
	}
	if url := "https://blq.example.com/ui/run/acme/app@build:2"; got["url"] != url ||
		!strings.Contains(notes, "(1 new), 1 warning "+url+"\n") {
		t.Errorf("the address is %q: %s", got["url"], notes)
	}
	event := "https://blq.example.com/ui/event/acme/app@build:2:"
	if !strings.Contains(notes, "fresh%0A"+event+"3\n") || !strings.Contains(notes, "odd%0A"+event+"4\n") {
		t.Errorf("an annotation does not lead to its event: %s", notes)
	}
	summary, _ := os.ReadFile(r.env["GITHUB_STEP_SUMMARY"])
	for _, link := range []string{"](" + event + "3)", "[errors and log](" + got["url"] + ")"} {
		if !strings.Contains(string(summary), link) {
			t.Errorf("the summary has no %s: %s", link, summary)
		}
	}
	fresh, old := strings.Index(notes, "title=new%3A"), strings.Index(notes, "old one")
	if fresh < 0 || old < 0 || fresh > old {
		t.Errorf("the new error is not the first annotation: %s", notes)
	}
	if left, _ := filepath.Glob(r.path("temp/blq/*/*.json")); len(left) != 0 || got["artifacts"] != "" {
		t.Errorf("left to send are %q, artifacts %q", left, got["artifacts"])
	}
}

// A line of a step in a file of the runner may have no end. Without an end before the outputs of blq, the runner would
// refuse the file, and fail a step that passed.
func TestActionEndsTheLinesOfAStep(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.step(map[string]string{"run": `printf 'tag=v1' >>"$GITHUB_OUTPUT"; printf '# Hi' >>"$GITHUB_STEP_SUMMARY"`})
	text, err := os.ReadFile(r.env["GITHUB_OUTPUT"])
	check(t, err)
	if !strings.HasPrefix(string(text), "tag=v1\nrun-ref<<blq_") {
		t.Errorf("outputs are %q", text)
	}
	summary, err := os.ReadFile(r.env["GITHUB_STEP_SUMMARY"])
	check(t, err)
	if !strings.HasPrefix(string(summary), "# Hi\n\n") {
		t.Errorf("the summary is %q", summary)
	}
}

// PowerShell 5 writes UTF-16, and the runner reads a file in the encoding that the file's first bytes name. So blq
// continues a file in the encoding that the step used.
func TestActionWritesInTheEncodingOfTheStep(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	script := `printf '\377\376t\0a\0g\0=\0v\0001\0\r\0\n\0' | tee "$GITHUB_OUTPUT" "$GITHUB_STEP_SUMMARY" >"$GITHUB_ENV"`
	r.step(map[string]string{"run": script})
	for name, want := range map[string]string{"OUTPUT": "tag=v1\r\nrun-ref<<blq_", "STEP_SUMMARY": "tag=v1\r\n\n",
		"ENV": "tag=v1\r\nBLQ_MASK_KEY<<blq_"} {
		text, err := os.ReadFile(r.env["GITHUB_"+name])
		check(t, err)
		units := make([]uint16, len(text)/2)
		_, err = binary.Decode(text, binary.LittleEndian, units)
		check(t, err)
		if read := string(utf16.Decode(units)); len(text)%2 != 0 || !strings.HasPrefix(read, "\ufeff"+want) {
			t.Errorf("%s is %q", name, read)
		}
	}
}

func TestActionKeepsInputsFromTheStep(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	out, _, _ := r.step(map[string]string{"run": "env | grep -c BLQ_INPUT || true", "token": "secret"})
	if strings.TrimSpace(out) != "0" {
		t.Errorf("%q variables of ours are in the step's environment", out)
	}
}

func TestActionLetsNoSecretOut(t *testing.T) {
	t.Parallel()
	const given, named, masked, ours = "correct-horse-battery", "hunter2hunter2", "masked-while-it-ran",
		"token-of-the-server"
	r := newRunner(t)
	r.env["DEPLOY_PASSWORD"] = named
	run := `true
m=$(printf %s-%s masked while-it-ran)
echo "::add-mask::$m"
for s in ` + given + ` "$DEPLOY_PASSWORD" "$m" ` + ours + `; do
  echo "a.c:1:1: error: $s"; echo "a.c:2:1: error: $(printf %s "$s" | base64)"
  printf '<testsuite><testcase classname="c" name="t%s"><failure message="%s"/></testcase></testsuite>' x "$s" > r.xml
done; exit 1`
	out, notes, _ := r.step(map[string]string{"run": run, "redact": given, "token": ours, "reports": "r.xml", "name": "x"})
	if strings.Count(out, named) != 1 {
		t.Errorf("the step's own output is changed: %s", out)
	}
	check(t, filepath.WalkDir(r.path("."), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "r.xml" {
			text, err := os.ReadFile(path)
			check(t, err)
			notes += path + ": " + string(text)
		}
		return err
	}))
	for _, s := range []string{given, named, masked, ours} {
		for _, form := range []string{s, base64.StdEncoding.EncodeToString([]byte(s))} {
			if i := strings.Index(notes, form); i >= 0 {
				t.Errorf("%s is in %.200q", form, notes[max(0, i-100):])
			}
		}
	}
}

func TestActionLeavesToMatchersWhatTheyShow(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.file("work/_actions/actions/setup-c/v1/.github/gcc.json",
		`{"problemMatcher":[{"owner":"gcc","pattern":[{"regexp":"^(.*):(\\d+):(\\d+): (error|warning): (.*)$","file":1,"line":2,"column":3,"severity":4,"message":5}]}]}`)
	_, notes, _ := r.step(map[string]string{"run": brokenBuild + "\n", "name": "build"})
	if strings.Contains(notes, "::error") {
		t.Errorf("annotated what a matcher shows: %s", notes)
	}
}

func TestActionAnnotatesTenOfALevel(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	_, notes, _ := r.step(map[string]string{
		"run": `for i in $(seq 1 30); do echo "a.c:$i:1: error: no $i"; echo "b.c:$i:1: warning: hm $i"; done; exit 1`})
	if e, w, n := strings.Count(notes, "::error "), strings.Count(notes, "::warning "),
		strings.Count(notes, "::notice "); e != 10 || w != 10 || n != 1 {
		t.Errorf("%d errors, %d warnings, %d notices: %s", e, w, n, notes)
	}
	if !strings.Contains(notes, "40 of them are not annotated") {
		t.Error(notes)
	}
}

func TestShellRunsScriptsAsGitHubDoes(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	script := r.file("_temp/script", "false | true\necho \"$-\"; false; echo not here")
	for _, tt := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"shell", script}, 1, "ehB\n"},
		{[]string{"shell", "bash", script}, 1, ""},
		{[]string{"shell", "--name", "x", "--", "bash", script}, 0, "hB\nnot here\n"},
		{[]string{"shell", "bash", "-u", script}, 0, "huB\nnot here\n"},
		{[]string{"shell", "--unknown", script}, 1, "ehB\n"},
	} {
		out, notes, state := finished(r.with(blq("", tt.args...)))
		if out != tt.out || state.ExitCode() != tt.code {
			t.Errorf("%v: exit code %d, output %q: %s", tt.args, state.ExitCode(), out, notes)
		}
	}
}

func TestSetupTellsTheStepsToCome(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	s := newService(t, nil)
	cmd := r.with(blq("", "action", "setup"))
	cmd.Env = append(cmd.Env, "BLQ_INPUT_SERVER="+s.URL, "BLQ_INPUT_TOKEN="+testToken, "BLQ_INPUT_ANNOTATIONS=false")
	if _, notes, state := finished(cmd); !state.Success() {
		t.Fatal(notes)
	}
	r.nextStep()
	script := r.file("_temp/script", "# a step\nset -x\nFOO=1 make -j8 || "+brokenBuild)
	_, notes, _ := finished(r.with(blq("", "shell", script)))
	if strings.Contains(notes, "::error") || !strings.Contains(notes, "acme/app@make:1") {
		t.Errorf("notes %s", notes)
	}
	r.env["GITHUB_ACTION"] = "unit"
	if _, notes, _ = finished(r.with(blq("", "shell", script))); !strings.Contains(notes, "acme/app@unit:2") {
		t.Errorf("notes %s", notes)
	}
}

func TestParallelStepsDoNotMeet(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	refs := map[string]bool{}
	for i := range 8 {
		wg.Go(func() {
			mine := &actionsRunner{T: t, dir: r.dir, env: maps.Clone(r.env)}
			mine.env["GITHUB_OUTPUT"] = r.path("files/output" + strconv.Itoa(i))
			out, notes, state := mine.step(
				map[string]string{"name": "same", "run": fmt.Sprintf("echo 'a.c:%d:1: error: no'; exit %d", i+1, i+1)})
			mu.Lock()
			defer mu.Unlock()
			refs[mine.outputs()["run-ref"]] = true
			if state.ExitCode() != i+1 || out != fmt.Sprintf("a.c:%d:1: error: no\n", i+1) ||
				strings.Contains(notes, "::warning") {
				t.Errorf("step %d: exit code %d, %q, %s", i, state.ExitCode(), out, notes)
			}
		})
	}
	wg.Wait()
	if kept, _ := filepath.Glob(r.path("temp/blq/artifacts/*/run.json")); len(refs) != 8 || len(kept) != 8 {
		t.Errorf("refs %v, %d artifacts", refs, len(kept))
	}
}

// Steps in two uses of a composite action have the same ID. blq must tell them apart, so that the step that passes does
// not hide the failure of the step that fails.
func TestUsesOfACompositeActionAreTwoSteps(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	for attempt := 1; attempt <= 2; attempt++ {
		r.env["GITHUB_RUN_ATTEMPT"] = strconv.Itoa(attempt)
		check(t, os.RemoveAll(r.path("temp/blq"))) // another execution of the job
		for i, db := range []string{"mysql", "sqlite"} {
			r.env["DB"], r.env["GITHUB_OUTPUT"] = db, r.path(fmt.Sprintf("files/output-%d-%d", attempt, i))
			_, _, state := r.step(map[string]string{"run": "test $DB = sqlite", "name": "test"})
			var a action.Artifact
			text, err := os.ReadFile(filepath.Join(r.outputs()["artifacts"], action.ArtifactRun))
			check(t, err)
			check(t, json.Unmarshal(text, &a))
			if want := []string{"__run", "__run#2"}[i]; a.CI.Step != want || state.ExitCode() != 1-i {
				t.Errorf("attempt %d: step %q, want %q; exit code %d", attempt, a.CI.Step, want, state.ExitCode())
			}
		}
	}
}

// The post step sends the run that a server did not get.
func TestPostSendsWhatIsOwed(t *testing.T) {
	t.Parallel()
	down := true
	s := newService(t, func(w http.ResponseWriter, _ *http.Request) bool {
		if down {
			w.WriteHeader(http.StatusBadGateway)
		}
		return down
	})
	r := newRunner(t)
	_, notes, state := r.step(
		map[string]string{"run": brokenBuild, "name": "build", "server": s.URL, "token": testToken, "wait": "0.2"})
	if state.ExitCode() != 2 || strings.Count(notes, "::warning title=blq") != 1 ||
		!strings.Contains(notes, "not sent yet") {
		t.Errorf("exit code %d: %s", state.ExitCode(), notes)
	}
	down = false
	cmd := r.with(blq("", "action", "post"))
	cmd.Env = append(cmd.Env, "BLQ_INPUT_TOKEN="+testToken)
	if _, notes, _ := finished(cmd); !strings.Contains(notes, "as acme/app@build:1") {
		t.Errorf("post says %s", notes)
	}
	if _, notes, _ := finished(r.with(blq("", "action", "post"))); notes != "" {
		t.Errorf("a second post says %s", notes)
	}
}

// The post step of a container action gets the same arguments as the step. It must not run the command again.
func TestPostOfAContainerActionRunsNothing(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	cmd := r.with(blq("", "action", "run"))
	cmd.Args[0] = "/usr/local/bin/blq-post"
	cmd.Env = append(cmd.Env, "INPUT_RUN=echo ran")
	if out, notes, state := finished(cmd); out != "" || notes != "" || !state.Success() {
		t.Errorf("%s, printed %q, said %q", state, out, notes)
	}
}

// The runner cancels a step with SIGINT, and then with SIGTERM.
func TestCancelledStepIsSentAsThat(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		script  string
		signals []syscall.Signal
	}{
		"by SIGINT": {`trap 'echo "a.c:1:1: error: late"; exit 130' INT; echo ready; while :; do sleep 0.05; done`,
			[]syscall.Signal{syscall.SIGINT}},
		"by SIGTERM after it": {`trap 'echo ignored' INT; trap 'exit 143' TERM; echo ready; while :; do sleep 0.05; done`,
			[]syscall.Signal{syscall.SIGINT, syscall.SIGTERM}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t, nil)
			r := newRunner(t)
			cmd := r.with(blq("", "action", "run"))
			cmd.Env = append(cmd.Env, "BLQ_INPUT_RUN="+tt.script, "BLQ_INPUT_NAME=build", "BLQ_INPUT_SERVER="+s.URL,
				"BLQ_INPUT_TOKEN="+testToken)
			out, err := cmd.StdoutPipe()
			check(t, err)
			check(t, cmd.Start())
			buf := make([]byte, 100)
			for _, sig := range tt.signals {
				_, err := out.Read(buf) // the script has set its traps, or has got the signal before
				check(t, err)
				check(t, cmd.Process.Signal(sig))
			}
			for err == nil {
				_, err = out.Read(buf)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 130 && code != 143 {
				t.Errorf("exit code %d", code)
			}
			runs, err := s.store.Runs(t.Context(), store.Everything(), store.RunFilter{})
			if err != nil || len(runs) != 1 || runs[0].Status() != store.StatusCancelled {
				t.Errorf("the server has %+v, %v", runs, err)
			}
		})
	}
}
