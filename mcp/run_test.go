package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/project/backend"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query/querytest"
)

// serveLocal returns a server of an empty directory, and the directory.
func serveLocal(t *testing.T, change ...func(*mcp.Config)) (*server, string) {
	t.Helper()
	dir := t.TempDir()
	return serveIn(t, dir, change...), dir
}

// serveIn returns a server of a directory.
func serveIn(t *testing.T, dir string, change ...func(*mcp.Config)) *server {
	t.Helper()
	backend := backend.New(func(string) string { return "" }, dir)
	t.Cleanup(func() { querytest.Check(t, backend.Close()) })
	c := mcp.Config{Ask: backend.Ask, Commands: backend, Version: "test"}
	for _, do := range change {
		do(&c)
	}
	s, err := mcp.New(c)
	querytest.Check(t, err)
	return &server{t, s, nil}
}

func safeMode(c *mcp.Config) { c.SafeMode = true }

// ran holds the fields of answers that the tests read.
type ran struct {
	RunRef   string `json:"run_ref"`
	Status   string
	ExitCode *int `json:"exit_code"`
	Errors   []struct{ Ref, Message string }
	Tail     []string
	Warning  string
	Error    string
	Code     string
	Next     string `json:"next_step"`

	Success bool
	Message string
	Run     *ran

	Runs      []ran
	Command   string
	NotRun    []string `json:"not_run"`
	Truncated []string
}

// do calls a tool. The call must fail if wantError is true, and must succeed otherwise.
func (s *server) do(tool, arguments string, wantError bool) ran {
	s.Helper()
	text, isError := s.call(tool, arguments)
	if isError != wantError {
		s.Fatalf("%s(%s) is an error: %v, want %v\n%s", tool, arguments, isError, wantError, text)
	}
	var a ran
	querytest.Check(s.T, json.Unmarshal([]byte(text), &a))
	return a
}

func TestRunAnswersAsTheContractHasIt(t *testing.T) {
	t.Parallel()
	s, _ := serveLocal(t)
	s.do("register_command",
		`{"name": "build", "cmd": "echo \"src/main.c:15:5: error: 'foo' undeclared\"; echo one; echo two; exit 2"}`, false)
	text, _ := s.call("run", `{"command": "build"}`)
	golden(t, "run.json", text)
	s.do("register_command", `{"name": "fine", "cmd": "echo a.c:1:1: warning: hm"}`, false)
	text, _ = s.call("run", `{"command": "fine"}`)
	golden(t, "run_ok.json", text)
	text, _ = s.call("run", `{"command": "x", "commands": ["fine", "build", "fine"]}`)
	golden(t, "run_batch.json", text)
	text, _ = s.call("commands", `{}`)
	golden(t, "commands.json", text)
}

// script returns the arguments of exec for a script.
func script(t *testing.T, text string) string {
	t.Helper()
	arguments, err := json.Marshal(map[string]any{"command": text})
	querytest.Check(t, err)
	return string(arguments)
}

func TestTailIsForFailures(t *testing.T) {
	t.Parallel()
	s, _ := serveLocal(t)
	lines := `i=0; while [ $i -lt 60 ]; do i=$((i+1)); echo "line $i"; done; `
	for _, tt := range []struct {
		script string
		tail   int
	}{{lines, 0}, {lines + "exit 1", 50}, {lines + "echo a.c:1:1: error: no; exit 1", 2}} {
		if a := s.do("exec", script(t, tt.script), false); len(a.Tail) != tt.tail {
			t.Errorf("%s: tail of %d lines, want %d", tt.script, len(a.Tail), tt.tail)
		}
	}
}

func TestTheFullTailKeepsItsEndWithinTheBudget(t *testing.T) {
	t.Parallel()
	s, _ := serveLocal(t)
	a := s.do("exec", script(t, `for i in $(seq 50); do printf '%0900d\n' $i; done; exit 1`), false)
	if n := len(a.Tail); n == 0 || n > 9 || !strings.HasSuffix(a.Tail[n-1], "0050") {
		t.Errorf("tail of %d lines, want the last ones", n)
	}
	if len(a.Truncated) != 1 || !strings.HasSuffix(a.Truncated[0], `lines of tail: output(ref="printf:1", tail=50)`) {
		t.Errorf("truncated %q", a.Truncated)
	}
}

func TestErrorsBeyondTheLimitAreTold(t *testing.T) {
	t.Parallel()
	s, _ := serveLocal(t)
	a := s.do("exec", script(t, `for i in $(seq 30); do echo "a.c:$i:1: error: no $i"; done; exit 1`), false)
	if len(a.Errors) != 20 || len(a.Truncated) != 1 ||
		a.Truncated[0] != `10 of 30 errors: events(ref="echo:1", severity="error", offset=20)` {
		t.Errorf("%d errors, truncated %q", len(a.Errors), a.Truncated)
	}
}

func TestRunRefusals(t *testing.T) {
	t.Parallel()
	const execExample = `exec(command="make", args=["-j8"])   # an example`
	s, _ := serveLocal(t)
	safe, _ := serveLocal(t, safeMode)
	for _, tt := range []struct {
		s               *server
		tool, arguments string
		message, next   string
	}{
		{s, "run", `{"command": "make"}`, "'make' is not a registered command. Use 'exec' for ad-hoc commands.",
			`exec(command="make")`},
		{s, "run", `{"command": "make -j8"}`, "'make -j8' is not a registered command. Use 'exec' for ad-hoc commands.",
			`exec(command="make -j8")`},
		{safe, "run", `{"command": "make"}`, "'make' is not a registered command", ""},
		{s, "run", `{}`, "run needs command or commands", "commands()   # lists the registered ones"},
		{s, "run", `{"commands": ["make"]}`, "'make' is not a registered command, so nothing was run",
			"commands()   # lists them; there are none"},
		{s, "run", `{"commands": ["make"], "extra": ["x"]}`, "run: args and extra go with command, not with commands",
			`run(command="test", args={"path": "tests/unit"})   # an example`},
		{s, "exec", `{"command": "  "}`, "nothing to run", `exec(command="make -j8")`},
		{s, "exec", `{}`, "exec needs command: shell command", execExample},
		{s, "exec", `{"command": "true", "timeout": -1}`, "exec: timeout must be at least 0, not -1", execExample},
		{s, "exec", `{"command": "true", "wait": "soon"}`, `exec: wait must be a number, not "soon"`, execExample},
	} {
		a := tt.s.do(tt.tool, tt.arguments, true)
		if a.Status != "FAIL" || a.Error != tt.message || a.Next != tt.next {
			t.Errorf("%s(%s): status %s, error %q, next %q; want %q and %q", tt.tool, tt.arguments, a.Status, a.Error,
				a.Next, tt.message, tt.next)
		}
	}
}

func TestNextStepsOfCommands(t *testing.T) {
	t.Parallel()
	s, _ := serveLocal(t)
	s.do("register_command", `{"name": "test", "cmd": "echo {path}"}`, false)
	s.do("register_command", `{"name": "build", "cmd": "make"}`, false)
	for _, tt := range []struct{ tool, arguments, next string }{
		{"run", `{"command": "test"}`, `run(command="test", args={"path": "VALUE"})`},
		{"run", `{"command": "tets"}`, `run(command="test")   # registered are build, test`},
		{"run", `{"command": "build", "args": {"x": "-j 8"}}`, `run(command="build", extra=["-j 8"])`},
		{"register_command", `{"name": "build", "cmd": "ninja all"}`,
			`register_command(name="build", cmd="ninja all", force=true)`},
		{"register_command", `{"name": "check", "cmd": "check {what}", "run_now": true}`,
			`run(command="check", args={"what": "VALUE"})`},
		{"unregister_command", `{"name": "bild"}`, `commands()   # lists them: build, check, test`},
		{"clean", `{}`, `clean(mode="data", confirm=true)`},
		{"clean", `{"mode": "prune", "days": 30}`, `clean(mode="prune", days=30, confirm=true)`},
		{"clean", `{"confirm": true}`, `exec(command="make")`},
	} {
		if a := s.do(tt.tool, tt.arguments, true); a.Next != tt.next {
			t.Errorf("%s(%s): %q, next %q, want %q", tt.tool, tt.arguments, a.Error, a.Next, tt.next)
		}
	}
}

func TestBatch(t *testing.T) {
	t.Parallel()
	s, dir := serveLocal(t)
	s.do("register_command", `{"name": "good", "cmd": "echo good"}`, false)
	s.do("register_command", `{"name": "bad", "cmd": "echo a.c:1:1: error: no; exit 1"}`, false)
	s.do("register_command", `{"name": "slow", "cmd": "while [ ! -e stop ]; do sleep 0.01; done"}`, false)
	s.do("register_command", `{"name": "tpl", "cmd": "echo {x}"}`, false)
	for _, tt := range []struct {
		arguments string
		status    string
		runs      string
		notRun    []string
	}{
		{`{"commands": ["good", "bad", "good"]}`, "FAIL", "good OK bad FAIL", []string{"good"}},
		{`{"commands": ["good", "bad", "good"], "keep_going": true}`, "FAIL", "good OK bad FAIL good OK", nil},
		{`{"commands": ["good", "good"]}`, "OK", "good OK good OK", nil},
		{`{"commands": ["tpl", "good"], "keep_going": true}`, "FAIL", "tpl FAIL good OK", nil},
		{`{"commands": ["slow", "good"], "wait": 0}`, "RUNNING", "slow RUNNING", []string{"good"}},
	} {
		a := s.do("run", tt.arguments, false)
		var runs []string
		for _, r := range a.Runs {
			runs = append(runs, r.Command, r.Status)
		}
		if got := strings.Join(runs, " "); a.Status != tt.status || got != tt.runs || !cmp.Equal(a.NotRun, tt.notRun) {
			t.Errorf("%s: %s %s, not run %v; want %s %s, %v", tt.arguments, a.Status, got, a.NotRun, tt.status,
				tt.runs, tt.notRun)
		}
	}
	querytest.Check(t, os.WriteFile(filepath.Join(dir, "stop"), nil, 0o644))
}

func TestABatchIsCutEvenly(t *testing.T) {
	t.Parallel()
	s, _ := serveLocal(t)
	for _, name := range []string{"one", "two"} {
		arguments, err := json.Marshal(map[string]any{"name": name, "cmd": `for i in $(seq 20); do echo "` + name +
			`.c:$i:1: error: ` + strings.Repeat("x", 300) + ` $i"; done; exit 1`})
		querytest.Check(t, err)
		s.do("register_command", string(arguments), false)
	}
	a := s.do("run", `{"commands": ["one", "two"], "keep_going": true}`, false)
	if len(a.Runs) != 2 || len(a.Runs[0].Errors) != len(a.Runs[1].Errors) || len(a.Runs[0].Errors) == 0 ||
		len(a.Truncated) != 2 {
		t.Fatalf("answer %+v", a)
	}
	if !strings.Contains(a.Truncated[1], `of 20 errors of two: events(ref="two:2", severity="error", offset=`) {
		t.Errorf("truncated %q", a.Truncated)
	}
}

func TestRunThatTakesLong(t *testing.T) {
	t.Parallel()
	s, dir := serveLocal(t)
	a := s.do("exec", `{"command": "while [ ! -e stop ]; do sleep 0.01; done", "wait": 0}`, false)
	if a.Status != "RUNNING" || a.RunRef != "test:1" ||
		a.Next != `info(ref="test:1", wait=45)   # it goes on; waits for its end` {
		t.Errorf("answer %+v", a)
	}
	for _, mode := range []string{"schema", "full"} {
		arguments := fmt.Sprintf(`{"mode": %q, "confirm": true}`, mode)
		if a := s.do("clean", arguments, true); a.Code != "conflict" || !strings.HasPrefix(a.Next, "status()") {
			t.Errorf("clean(%s) while a run is recorded: %+v", arguments, a)
		}
	}
	querytest.Check(t, os.WriteFile(filepath.Join(dir, "stop"), nil, 0o644))
	for {
		text, _ := s.call("info", `{"ref": "test:1"}`)
		if strings.Contains(text, `"status":"OK"`) {
			break
		}
	}
	if a := s.do("clean", `{"mode": "data", "confirm": true}`, false); !a.Success {
		t.Errorf("clean: %+v", a)
	}
	if text, isError := s.call("history", `{}`); isError || !strings.Contains(text, `"runs":[]`) {
		t.Errorf("after the cleaning: %s", text)
	}
}

func TestRegisterAndRunNow(t *testing.T) {
	t.Parallel()
	s, _ := serveLocal(t)
	s.do("register_command", `{"name": "test", "cmd": "echo a.c:1:1: error: no; exit 1"}`, false)
	a := s.do("register_command", `{"name": "again", "cmd": "echo a.c:1:1: error: no;  exit 1", "run_now": true}`, false)
	if !a.Success || !strings.HasPrefix(a.Message, "The same command is registered as 'test'") || a.Run == nil ||
		a.Run.RunRef != "test:1" || a.Run.Status != "FAIL" {
		t.Errorf("answer %+v", a)
	}
}

func TestCommandsAreShownAsText(t *testing.T) {
	t.Parallel()
	s, _ := serveLocal(t)
	for _, tt := range []struct{ tool, arguments string }{
		{"register_command", `{"name": "odd", "cmd": "echo \u001b[31mred \u202e"}`},
		{"commands", `{}`},
	} {
		if text, isError := s.call(tt.tool, tt.arguments); isError || !strings.Contains(text, "red") ||
			strings.ContainsAny(text, "\u202e\x1b") || strings.Contains(text, "u001b") {
			t.Errorf("%s: %s", tt.tool, text)
		}
	}
}

func TestCleanWithoutConfirmationSaysWhatItWouldRemove(t *testing.T) {
	t.Parallel()
	s, _ := serveLocal(t)
	s.do("exec", `{"command": "true"}`, false)
	for arguments, what := range map[string]string{
		`{}`: "removes 1 run with events and log for good",
		`{"mode": "full", "confirm": "false"}`: "removes 1 run with events and log, the settings and the registered " +
			"commands for good",
		`{"mode": "prune", "days": 30}`: "removes 0 runs older than 30 days for good",
	} {
		if a := s.do("clean", arguments, true); !strings.Contains(a.Error, what) ||
			!strings.HasPrefix(a.Error, "nothing was removed") {
			t.Errorf("%s: %s", arguments, a.Error)
		}
	}
	if text, _ := s.call("history", `{}`); !strings.Contains(text, `"run_id":1`) {
		t.Error("the run is gone")
	}
}

func TestSafeModeAndServersWithoutCommands(t *testing.T) {
	t.Parallel()
	safe, _ := serveLocal(t, safeMode)
	for s, want := range map[*server]map[string]bool{
		safe: {"run": true, "query": true, "commands": true, "exec": false, "clean": false, "register_command": false,
			"unregister_command": false, "cancel": false},
		serve(t): {"query": true, "run": false, "commands": false, "exec": false, "clean": false},
	} {
		list, _ := s.request("tools/list", nil)
		for tool, there := range want {
			if got := strings.Contains(string(list), fmt.Sprintf(`"name":%q`, tool)); got != there {
				t.Errorf("%s is listed: %v, want %v", tool, got, there)
			}
			if text, _ := s.call(tool, `{}`); strings.Contains(text, "is disabled") == there {
				t.Errorf("%s answers %s", tool, text)
			}
		}
	}
}
