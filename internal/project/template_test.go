package project

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
)

// show prints each of its arguments in angle brackets.
const show = `show() { for a; do printf '<%s>' "$a"; done; }; `

// output runs an invocation with a real shell and returns its output.
func output(t *testing.T, inv Invocation) string {
	t.Helper()
	cmd := exec.Command(inv.Args[0], inv.Args[1:]...)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", inv.Args, err, out)
	}
	return string(out)
}

var hostile = []string{
	"plain", "two words", "  ", "a  b", "*", "$HOME", "$(echo code)", "`echo code`", "; echo code", "'", `"`, `\`,
	`\\"`, "'; echo code; '", `"; echo code; "`,
	"a\nb", "-n", "--", "~", "{x}", "${1}", "$1", "#", "é ü", "!!", "a=b", "%s", "&& echo code", "|", ">f", "\t",
}

func TestValuesAreNeverCodeInAnyQuotes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tpl, want string }{
		{"show {x}", "<@>"},
		{`show "{x}"`, "<@>"},
		{"show '{x}'", "<@>"},
		{"show a{x}b", "<a@b>"},
		{`show "a {x} b"`, "<a @ b>"},
		{"show 'a {x} b'", "<a @ b>"},
		{`show 'it'"s {x}" '{x}'{x}`, "<its @><@@>"},
		{`show \"{x}\'`, `<"@'>`},
		{`show "\"{x}"`, `<"@>`},
		{`show '\'{x}`, `<\@>`},
		{`y={x}; show "$y"`, "<@>"},
		{`show "$(show {x})"`, "<<@>>"},
		{"show {{x}} {x}", "<{x}><@>"},
		{`show "${HOME:+h}" {x}`, "<h><@>"},
	} {
		for _, value := range hostile {
			cmd := Command{Name: "c", Tpl: show + tt.tpl}
			inv, err := cmd.Invocation(map[string]string{"x": value}, []string{value})
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(tt.want, "@", value) + "<" + value + ">"
			if strings.HasPrefix(tt.tpl, "y=") || strings.Contains(tt.tpl, "$y") {
				want = "<" + value + "><" + value + ">"
			}
			if got := output(t, inv); got != want {
				t.Errorf("%s with %q printed %q, want %q", tt.tpl, value, got, want)
			}
			if cut := inv.Args[2]; strings.Contains(cut, value) &&
				!strings.Contains(show+tt.tpl+` "${1}" "${2}" "${3}" "${4}"'#-n--`, value) {
				t.Errorf("%s with %q: the value is part of the script %q", tt.tpl, value, cut)
			}
		}
	}
}

func TestEmptyValuesStandAloneForNothing(t *testing.T) {
	t.Parallel()
	cmd := Command{Name: "c", Tpl: show + `show a {x} "{x}" '{x}' b{x}`, Defaults: map[string]string{"x": ""}}
	inv, err := cmd.Invocation(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := output(t, inv), "<a><><><b>"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestShownTextDoesTheSameWhenPasted(t *testing.T) {
	t.Parallel()
	for _, value := range hostile {
		for _, inv := range []Invocation{
			Plain([]string{"printf", "<%s>", value, ""}),
			Shell("printf '<%s>' a", []string{value}),
			must(t)((&Command{Name: "c", Tpl: "printf '<%s>' {x}"}).Invocation(map[string]string{"x": value}, []string{value})),
		} {
			pasted := Invocation{Args: []string{"sh", "-c", inv.Text}}
			if got, want := output(t, pasted), output(t, inv); got != want {
				t.Errorf("%s pasted prints %q, run it prints %q", inv.Text, got, want)
			}
		}
	}
}

func must(t *testing.T) func(Invocation, error) Invocation {
	return func(inv Invocation, err error) Invocation {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return inv
	}
}

func TestParametersMustFit(t *testing.T) {
	t.Parallel()
	tpl := &Command{Name: "c", Tpl: "echo {x}"}
	for _, tt := range []struct {
		cmd    *Command
		values map[string]string
		hint   string
	}{
		{tpl, nil, "blq run c x=VALUE"},
		{tpl, map[string]string{"x": "1", "y": "2"}, "blq run c   # its parameters are x"},
		{&Command{Name: "c", Cmd: "echo"}, map[string]string{"y": "a b"}, "blq run c -- 'a b'"},
	} {
		_, err := tt.cmd.Invocation(tt.values, nil)
		wantCode(t, err, store.Invalid)
		if got := cmdline.Of(store.NextOf(err)); got != tt.hint {
			t.Errorf("hint %q, want %q", got, tt.hint)
		}
	}
}

func TestTemplatesAreTold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"pytest {path}": true, "make -j{n}": true, "echo ${HOME}": false, "echo {{x}}": false, "echo {}": false,
		"echo {1}":             false,
		"find . -exec ls {} ;": false, "echo {a,b}": false, "echo {a b}": false, "echo {a-b_c9}": true,
	} {
		if got := IsTemplate(text); got != want {
			t.Errorf("IsTemplate(%q) = %v", text, got)
		}
	}
}
