package project

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMatchTakesTheLongestCommandByWholeWords(t *testing.T) {
	t.Parallel()
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
