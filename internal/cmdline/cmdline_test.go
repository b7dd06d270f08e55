package cmdline

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

func TestNextStepsAsCommandLines(t *testing.T) {
	for _, tt := range []struct {
		step store.NextStep
		want string
	}{
		{nil, ""},
		{store.Text("try again"), "try again"},
		{store.Shell{Line: "unset BLQ_DIR"}, "unset BLQ_DIR"},
		{store.Shell{Line: `export BLQ_DIR="$(mktemp -d)"`, Why: "in this shell"},
			`export BLQ_DIR="$(mktemp -d)"   # in this shell`},
		{store.NewCall("history", "lists runs"), "blq history   # lists runs"},
		{store.NewCall("diff", "", "run1", "build:4", "run2", "build:5"), "blq diff build:4 build:5"},
		{store.NewCall("diff", "", "run2", "build:5", "run1", "build:4"), "blq diff build:4 build:5"},
		{store.NewCall("diff", "", "source", "build"), "blq diff --source build"},
		{store.NewCall("events", "", "severity", "warning", "ref", "build:5"), "blq events build:5 --severity warning"},
		{store.NewCall("events", "", "file_pattern", "%.c"), "blq events --file %.c"},
		{store.NewCall("errors", "", "ref", "build:5", "limit", 0, "remote", "http://s"),
			"blq errors build:5 --limit 0 --remote http://s"},
		{store.NewCall("inspect", "", "include_fingerprint_history", true, "include_git_context", true, "ref", "5:1"),
			"blq inspect 5:1 --git --history"},
		{store.NewCall("output", "", "context", 2, "grep", `a|b`, "ref", "5"), "blq output 5 --grep 'a|b' --context 2"},
		{store.NewCall("query", "", "sql", "SELECT 'x'"), `blq query "SELECT 'x'"`},
		{store.NewCall("query", "", "sql", `SELECT "x"`), `blq query 'SELECT "x"'`},
		{store.NewCall("query", "", "sql", "SELECT '$x'"), `blq query 'SELECT '\''$x'\'''`},
		{store.NewCall("check", "", "fail_on", "new-errors"), "blq ci check --fail-on new-errors"},
		{store.NewCall("summarize", "", "format", "brief"), "blq report --format brief"},
		{store.NewCall("clean", "", "mode", "prune", "days", 30, "confirm", true), "blq clean prune --days 30 --yes"},
		{store.NewCall("clean", "", "mode", "data", "confirm", false), "blq clean data --yes=false"},
		{store.NewCall("exec", "", "command", "make"), "blq run -- make"},
		{store.NewCall("exec", "", "command", "make -j8"), "blq exec 'make -j8'"},
		{store.NewCall("exec", "", "command", "$SHELL"), "blq exec '$SHELL'"},
		{store.NewCall("run", "", "command", "test", "args", map[string]string{"b": "x y", "a": "1"}, "extra",
			[]string{"-v", ""}), "blq run test a=1 'b=x y' -- -v ''"},
		{store.NewCall("run", "", "extra", []string{"make"}, "remote", true, "repo", "o/n"),
			"blq run --remote --repo o/n -- make"},
		{store.NewCall("commands", ""), "blq commands"},
		{store.NewCall("register_command", "", "name", "t", "cmd", "make t", "force", true),
			"blq commands register --force t 'make t'"},
		{store.NewCall("register_command", "", "name", "t", "cmd", "ls {x}", "defaults", map[string]string{"x": "."}),
			"blq commands register t 'ls {x}' --default x=."},
		{store.NewCall("unregister_command", "", "name", "t"), "blq commands unregister t"},
		{store.NewCall("mcp_serve", "", "transport", "http", "port", 8080), "blq mcp serve --transport http --port 8080"},
		{store.NewCall("init", ""), "blq init"},
		// Untrusted text, such as a server's, never reaches a shell as code.
		{store.NewCall("events", "one\n$(rm -rf /)", "ref", "a'b\nc;d"), "blq events 'a'\\''b\nc;d'   # one $(rm -rf /)"},
		{store.NewCall("events", "", "ref", "--help", "severity", "-x"), "blq events --severity -x -- --help"},
		{store.NewCall("events", "", "ref", "-x y"), "blq events -- '-x y'"},
		{store.NewCall("query", "", "sql", "-- none"), `blq query -- "-- none"`},
		{store.NewCall("no such; tool", "", "a b", "c", "refs", []string{"1", "2"}),
			"blq 'no such; tool' '--a b' c --refs 1,2"},
		{store.Call{Tool: "events", Arguments: store.Arguments{{Name: "ref", Value: "1"}, {Name: "ref", Value: "2"}}},
			"blq events 1 --ref 1"},
	} {
		if got := Of(tt.step); got != tt.want {
			t.Errorf("%#v:\n%s\nwant\n%s", tt.step, got, tt.want)
		}
	}
}

// A step has the same command line after it was encoded as JSON and decoded.
func TestCommandLinesOutliveJSON(t *testing.T) {
	for _, c := range []store.Call{
		store.NewCall("inspect", "why", "ref", "5:1", "include_git_context", true, "include_fingerprint_history", true),
		store.NewCall("output", "why", "ref", "5", "grep", "x", "context", 2),
		store.NewCall("run", "", "command", "t", "args", map[string]string{"a": "b"}, "extra", []string{"c"}),
		store.NewCall("clean", "", "confirm", true, "days", 30, "mode", "prune"),
		store.NewCall("status", ""),
	} {
		if got := travelled(t, c); Of(got) != Of(c) {
			t.Errorf("%s, want %s", Of(got), Of(c))
		}
	}
}

func FuzzShellsReadTheWordsOfACall(f *testing.F) {
	for _, s := range []string{"", "a b", "$(id)", "it's", `"\`, "*", "-x", "- ", `"-x`, "'-x", "a\nb", "# x", "`id`",
		"\x01\x7f", "é", strings.Repeat("x", 2000)} {
		f.Add(s, "x")
		f.Add("x", s)
	}
	f.Fuzz(func(t *testing.T, ref, grep string) {
		if strings.Contains(ref+grep, "\x00") {
			return // not a word of a shell
		}
		line := Of(store.NewCall("output", grep, "ref", ref, "grep", grep))
		want := []string{"output", ref, "--grep", grep}
		if strings.HasPrefix(ref, "-") {
			want = []string{"output", "--grep", grep, "--", ref}
		}
		out, err := exec.Command("sh", "-c", "blq() { printf '%s\\0' \"$@\"; }\n"+line).Output()
		got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v: %s\n%s", err, line, diff)
		}
	})
}

func travelled(t *testing.T, c store.Call) store.Call {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back store.Call
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	return back
}
