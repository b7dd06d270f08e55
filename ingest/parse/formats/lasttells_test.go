package formats

import (
	"slices"
	"strings"
	"testing"
)

func TestWhatAScriptTellsBeforeItFails(t *testing.T) {
	far := strings.Repeat("word\n", 40)
	for _, tt := range []struct {
		name, output string
		want         []string
	}{
		{"a trace without blanks", "+echo 'no match'\nthe versions differ\n+exit 12\n", []string{"the versions differ"}},
		{"a script that gives up", "+ echo 'run make dist'\nrun make dist\n+ exit 1\n" + far,
			[]string{"run make dist"}},
		{"a script that ends well", "+ echo 'made dist'\nmade dist\n+ exit 0\nno b\n", []string{"no b"}},
		{"a time before an error", "24 May 11:53:57 - Error: no tunnel\n" + far, []string{"Error: no tunnel"}},
		{"a failure of an old tool", "failed: the SDK is not there\n" + far, []string{"failed: the SDK is not there"}},
		{"what was expected", "parse: expected 3, got 2\n" + far, []string{"parse: expected 3, got 2"}},
		{"a display", "Window: Could not connect to display\n" + far,
			[]string{"Window: Could not connect to display"}},
		{"what is fine", "* help: ok\n* parse: gave a\n* quote: ok\n", []string{"* parse: gave a"}},
		{"what tidies up", "no a in b\nCleaning up\nDone.\n", []string{"no a in b"}},
		{"what tidied up too much", "no a in b\nRemoving a: permission denied\n", []string{"Removing a: permission denied"}},
		{"a sum of lines", "Checking a... ok\nChecking b... died: key\nChecking c... ok\n1 problem found\n",
			[]string{"Checking b... died: key\n1 problem found"}},
		{"a sum of files", "Looking at headers\na.go: no header\nb.go: no header\n2 files without header\n",
			[]string{"a.go: no header\nb.go: no header\n2 files without header"}},
		{"an advice below a list", "These are not right:\n  a.go\n  b.go\nPlease run gofmt.\n",
			[]string{"These are not right:\na.go\nb.go\nPlease run gofmt."}},
		{"an advice alone", "all is read\n\nPlease run gofmt.\n", []string{"Please run gofmt."}},
		{"words above make", "gofmt should run on these files:\na.go\nb.go\nmake: *** [fmt] Error 1\n",
			[]string{"gofmt should run on these files:\na.go\nb.go", "[fmt] Error 1"}},
		{"make's echo", "all is read\npython run.py all of it -v\nmake: *** [t] Error 1\n", []string{"[t] Error 1"}},
		{"no words above make", "all is read\nmake: *** [t] Error 1\n", []string{"[t] Error 1"}},
	} {
		if got := errorsOf(travisJob("./x", tt.output, 1)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: errors %q, want %q", tt.name, got, tt.want)
		}
		if got := errorsOf(travisJob("./x", tt.output, 0)); got != nil {
			t.Errorf("%s: errors %q of a command that passed", tt.name, got)
		}
	}
}
