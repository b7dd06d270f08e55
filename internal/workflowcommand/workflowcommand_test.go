package workflowcommand

import "testing"

func TestParse(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]command{
		"::error::boom":                    {Name: "error", Data: "boom"},
		" \t::error file=a.c,line=1::b::c": {Name: "error", Properties: "file=a.c,line=1", Data: "b::c"},
		"::tok::":                          {Name: "tok"},
		"x ##[error]boom":                  {Name: "error", Data: "boom"},
		"::error ##[add-mask x=y;]v":       {Name: "add-mask", Properties: "x=y;", Data: "v"},
		"x ::error::boom":                  {},
		"::error":                          {},
		"::::x":                            {},
		"":                                 {},
	} {
		got, ok := parse(line)
		if got != want || ok != (want != command{}) {
			t.Errorf("%q: %+v, %v", line, got, ok)
		}
	}
}

func TestGate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lines   []string
		stopped string // a letter for each line: s if commands are stopped after the line
	}{
		"stopped until the token":    {[]string{"::stop-commands::t1", "::error::x", "::t2::", "::T1::", "x"}, "sss.."},
		"blanks before the commands": {[]string{"  ::stop-commands::t1", "\t::t1::"}, "s."},
		"deprecated form":            {[]string{"##[stop-commands]t1", "x ##[t1]"}, "s."},
		"within a line":              {[]string{"echo ::stop-commands::t1", "x"}, ".."},
		"the token within a line":    {[]string{"::stop-commands::t1", "echo ::t1::", "::t1", "::t1::"}, "sss."},
		"no token":                   {[]string{"::stop-commands::", "x"}, ".."},
		"a command as the token":     {[]string{"::stop-commands::Error", "::stop-commands::pause-logging"}, ".."},
		"the token with properties":  {[]string{"::stop-commands::t1", "::t1 x=y::z"}, "s."},
		"stopped again": {
			[]string{"::stop-commands::t1", "::stop-commands::t2", "::t2::", "::t1::", "::STOP-commands::t2"}, "sss.s"},
	} {
		var g Gate
		for i, line := range tt.lines {
			if g.Line(line); g.Stopped() != (tt.stopped[i] == 's') {
				t.Errorf("%s: after %q: %v", name, line, g.Stopped())
			}
		}
		if g.Reset(); g.Stopped() {
			t.Errorf("%s: stopped after a reset", name)
		}
	}
}
