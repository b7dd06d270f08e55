package workspace

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMatchTakesTheLongestCommandByWholeWords(t *testing.T) {
	c := newConfig(t, `
[commands.make]
cmd = "make"
[commands.check]
cmd = "make 'check all'"
[commands.piped]
cmd = "make | tee log"
[commands.tpl]
tpl = "make {x}"
`)
	for _, tt := range []struct {
		args  []string
		name  string
		extra []string
	}{
		{[]string{"make"}, "make", []string{}},
		{[]string{"make", "-j8"}, "make", []string{"-j8"}},
		{[]string{"make", "check all", "x y"}, "check", []string{"x y"}},
		{[]string{"make", "check", "all"}, "make", []string{"check", "all"}},
		{[]string{"makeinfo"}, "", nil},
		{nil, "", nil},
	} {
		cmd, extra := c.Match(tt.args)
		name := ""
		if cmd != nil {
			name = cmd.Name
		}
		if name != tt.name || !cmp.Equal(extra, tt.extra) {
			t.Errorf("Match(%q) = %s, %q, want %s, %q", tt.args, name, extra, tt.name, tt.extra)
		}
	}
}

func TestWordsSaysNoToWhatNeedsAShell(t *testing.T) {
	for text, want := range map[string][]string{
		`make -j8`: {"make", "-j8"}, ` a  'b c' "d e" f\ g '' `: {"a", "b c", "d e", "f g", ""}, `a"b"'c'`: {"abc"},
		"": nil, "  ": nil, "a | b": nil, "a; b": nil, "echo $x": nil, `echo "$x"`: nil, "echo 'x": nil, `a \`: nil, "a > b": nil, "ls *": nil, "~/x": nil, "(a)": nil,
	} {
		got, ok := Words(text)
		if ok != (want != nil) || ok && !cmp.Equal(got, want) {
			t.Errorf("Words(%q) = %q, %v, want %q", text, got, ok, want)
		}
	}
}

func FuzzQuotedWordsComeBack(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, "x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		words, ok := Words(QuoteAll([]string{a, b}))
		if !ok || !cmp.Equal(words, []string{a, b}) {
			t.Errorf("Words(QuoteAll(%q, %q)) = %q, %v", a, b, words, ok)
		}
	})
}
