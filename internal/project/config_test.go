package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
)

// newConfig returns the configuration in a text.
func newConfig(t *testing.T, text string) *Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), ConfigName)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := ReadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *Config) text(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(c.path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestConfigErrorsSayWhere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"[retention]\ndays = many\n", "line 2"},
		{"[commands.a]\ncmd = \"x\"\ntimeout = \"long\"\n", "line 3"},
		{"[commands.a]\ncmd = \"x\"\n[commands.a]\ncmd = \"y\"\n", "line 3"},
		{"[commands.a]\ndescription = \"x\"\n", `command "a" needs either cmd or tpl`},
		{"[commands.a]\ncmd = \"x\"\ntpl = \"y\"\n", `command "a" needs either cmd or tpl`},
		{"[commands.a]\ncmd = \"x\"\ntimeout = -1\n", "negative timeout"},
		{"[mcp]\ndisabled_tool = [\"exec\"]\n",
			"line 2, column 1: there is no setting mcp.disabled_tool; did you mean mcp.disabled_tools?"},
		{"[command.a]\ncmd = \"x\"\n", "there is no setting command; did you mean commands?"},
		{"[retension]\ndays = 3\n", "did you mean retention?"},
		{"[commands.a]\ncmd = \"x\"\ntimeuot = 3\n",
			"line 3, column 1: there is no setting commands.a.timeuot; did you mean commands.a.timeout?"},
		{"[redact]\nfoo = true\n", "there is no setting redact.foo; there are off"},
		{"colour = 1\n", "line 1, column 1: there is no setting colour; there are retention, mcp, redact, checks, commands"},
		{"[commands.'a b']\ncmd = \"x\"\n", "cannot name a command"},
		{"[commands.latest]\ncmd = \"x\"\n", "cannot name a command"},
	} {
		path := filepath.Join(t.TempDir(), ConfigName)
		if err := os.WriteFile(path, []byte(tt.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := ReadConfig(path)
		wantCode(t, err, store.Invalid)
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("configuration %q: %v, want %s and %s", tt.text, err, path, tt.want)
		}
		if hint := cmdline.Of(store.NextOf(err)); !strings.HasPrefix(hint, "${EDITOR:-vi} ") {
			t.Errorf("hint %q", hint)
		}
	}
}

func TestMissingConfigIsEmpty(t *testing.T) {
	t.Parallel()
	c, err := ReadConfig(filepath.Join(t.TempDir(), ConfigName))
	if err != nil || len(c.Names()) != 0 || !c.Retention.IsZero() {
		t.Errorf("%v, %v", c, err)
	}
}

const edited = `# Ours.

[retention]
days = 3 # short

# Builds it.
[commands.build]
cmd = """
[ -f x ] &&
[commands.test]
"""
# inside build

# Tests it.
[commands.test]
tpl = "pytest {path}"
[commands.test.defaults]
path = "tests"

[mcp]
disabled_tools = [
  "exec",
]
# The end.
`

func TestRegisterAndUnregisterKeepCommentsAndOrder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(c *Config) error
		want string
	}{
		{"unregister the last", func(c *Config) error { return c.Unregister("test") },
			strings.Replace(edited, "[commands.test]\ntpl = \"pytest {path}\"\n[commands.test.defaults]\npath = \"tests\"\n\n",
				"\n", 1)},
		{"unregister one whose text looks like tables", func(c *Config) error { return c.Unregister("build") },
			strings.Replace(edited, "[commands.build]\ncmd = \"\"\"\n[ -f x ] &&\n[commands.test]\n\"\"\"\n", "", 1)},
		{"replace in its place", func(c *Config) error {
			_, err := c.Register(Command{Name: "test", Cmd: "go test", Timeout: 5}, true)
			return err
		}, strings.Replace(edited, "tpl = \"pytest {path}\"\n[commands.test.defaults]\npath = \"tests\"\n",
			"cmd = 'go test'\ntimeout = 5\n", 1)},
		{"add at the end", func(c *Config) error {
			_, err := c.Register(Command{Name: "a.b/c", Cmd: "x"}, false)
			return err
		}, edited + "\n[commands.\"a.b/c\"]\ncmd = 'x'\n"},
		{"what is there already", func(c *Config) error {
			_, err := c.Register(Command{Name: "test", Tpl: "pytest   {path}"}, false)
			return err
		}, edited},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newConfig(t, edited)
			if err := tt.do(c); err != nil {
				t.Fatal(err)
			}
			got := c.text(t)
			if tt.name == "unregister the last" {
				got = strings.Replace(got, "# Tests it.\n[mcp]", "# Tests it.\n\n[mcp]", 1)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if again, err := ReadConfig(c.path); err != nil || !cmp.Equal(again.Names(), c.Names()) {
				t.Errorf("what was written reads %v, %v, want %v", again, err, c.Names())
			}
		})
	}
}

func TestCommandsThatHaveNoTableOfTheirOwnAreLeftToPeople(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"[commands]\na = { cmd = \"x\" }\n", "commands.a.cmd = \"x\"\n"} {
		c := newConfig(t, text)
		wantCode(t, c.Unregister("a"), store.Conflict)
		_, err := c.Register(Command{Name: "a", Cmd: "y"}, true)
		wantCode(t, err, store.Conflict)
		if got := c.text(t); got != text {
			t.Errorf("the file is now %q", got)
		}
		if left, _ := filepath.Glob(c.path + ".new"); left != nil {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestRegisterIsIdempotent(t *testing.T) {
	t.Parallel()
	c := newConfig(t, "[commands.build]\ncmd = \"make -j8\"\n")
	for _, tt := range []struct {
		cmd     Command
		force   bool
		name    string
		created bool
		code    store.Code
	}{
		{cmd: Command{Name: "build", Cmd: " make  -j8 "}, name: "build"},
		{cmd: Command{Name: "b", Cmd: "make -j8"}, name: "build"},
		{cmd: Command{Name: "build", Cmd: "make"}, code: store.Conflict},
		{cmd: Command{Name: "build", Tpl: "make -j8"}, code: store.Conflict},
		{cmd: Command{Name: "build", Cmd: "make"}, force: true, name: "build", created: true},
		{cmd: Command{Name: "b", Cmd: "make"}, force: true, name: "b", created: true},
		{cmd: Command{Name: "latest", Cmd: "x"}, code: store.Invalid},
		{cmd: Command{Name: "5", Cmd: "x"}, code: store.Invalid},
		{cmd: Command{Name: "ünïcode", Cmd: "x"}, name: "ünïcode", created: true},
	} {
		reg, err := c.Register(tt.cmd, tt.force)
		wantCode(t, err, tt.code)
		if err == nil && (reg.Created != tt.created || reg.Command.Name != tt.name) {
			t.Errorf("Register(%v) = %v, want %s, created %v", tt.cmd, reg, tt.name, tt.created)
		}
	}
	wantCode(t, c.Unregister("nosuch"), store.NotFound)
	if _, err := c.Command("nosuch"); store.CodeOf(err) != store.NotFound {
		t.Errorf("Command(nosuch): %v", err)
	}
}

func TestRegisteringAtOnceLosesNothing(t *testing.T) {
	t.Parallel()
	c := newConfig(t, edited)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			mine, err := ReadConfig(c.path)
			if err == nil {
				_, err = mine.Register(Command{Name: fmt.Sprintf("c%02d", i), Cmd: fmt.Sprintf("echo %d", i)}, false)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	after, err := ReadConfig(c.path)
	if err != nil || len(after.Names()) != 22 {
		t.Errorf("%d commands, %v", len(after.Names()), err)
	}
}

func TestWhatIsRegisteredIsReadBack(t *testing.T) {
	t.Parallel()
	no := false
	want := Command{Name: "x", Tpl: "a '{b}' \"{c}\" \\ \n # é \x7f", Defaults: map[string]string{"b": "'\"", "c": "]\n["},
		Description: "'''\"\"\"", Timeout: 7, Format: "gcc", Capture: &no}
	c := newConfig(t, edited)
	if _, err := c.Register(want, false); err != nil {
		t.Fatal(err)
	}
	again, err := ReadConfig(c.path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, again.Commands["x"]); diff != "" {
		t.Error(diff)
	}
}
