package shellword

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWordsSaysNoToWhatNeedsAShell(t *testing.T) {
	for text, want := range map[string][]string{
		`make -j8`: {"make", "-j8"}, ` a  'b c' "d e" f\ g '' `: {"a", "b c", "d e", "f g", ""}, `a"b"'c'`: {"abc"},
		"": nil, "  ": nil, "a | b": nil, "a; b": nil, "echo $x": nil, `echo "$x"`: nil, "echo 'x": nil, `a \`: nil,
		"a > b": nil, "ls *": nil, "~/x": nil, "(a)": nil,
	} {
		got, ok := Split(text)
		if ok != (want != nil) || ok && !cmp.Equal(got, want) {
			t.Errorf("Split(%q) = %q, %v, want %q", text, got, ok, want)
		}
	}
}

func FuzzQuotedWordsComeBack(f *testing.F) {
	for _, s := range []string{"", "a b", "$(x)", "it's", `"\`, "*", "-x", "a\nb"} {
		f.Add(s, "x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		words, ok := Split(Join([]string{a, b}))
		if !ok || !cmp.Equal(words, []string{a, b}) {
			t.Errorf("Split(Join(%q, %q)) = %q, %v", a, b, words, ok)
		}
	})
}
