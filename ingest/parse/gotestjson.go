package parse

import (
	"encoding/json"
	"strings"
)

// gotestJSONFormat reads go test -json: each line holds a line of output, and
// says which package and test printed it.
var gotestJSONFormat = Format{
	Name:     "gotest-json",
	About:    "go test -json and test2json",
	Triggers: []string{`"Action":"`},
	New:      func() Matcher { return (&goTestJSON{partial: map[string]string{}, test: map[string]string{}}).match },
}

type goTestJSON struct {
	partial map[string]string // unfinished line of each package
	test    map[string]string // whose output each package's last line was
}

type goTestEvent struct {
	Action, Package, ImportPath, Test, Output string
}

func (g *goTestJSON) match(s *Scan, l Line) bool {
	if !strings.HasPrefix(l.Text, `{"`) {
		return false
	}
	var e goTestEvent
	if json.Unmarshal([]byte(l.Text), &e) != nil || e.Package == "" && e.ImportPath == "" {
		return false
	}
	lane := "go " + e.Package + e.ImportPath
	switch e.Action {
	case "output", "build-output":
		text := g.partial[lane] + e.Output
		delete(g.partial, lane)
		if !strings.HasSuffix(text, "\n") {
			if len(text) < maxLine && len(g.partial) < maxLanes {
				g.partial[lane] = text
			}
			return true
		}
		if e.Test != g.test[lane] && e.Test != "" && !strings.HasPrefix(text, "=== ") {
			s.within(lane, Line{Text: "=== NAME  " + e.Test, N: l.N})
		}
		if _, known := g.test[lane]; known || len(g.test) < maxLanes {
			g.test[lane] = e.Test
		}
		for line := range strings.Lines(text) {
			s.within(lane, Line{Text: strings.TrimRight(line, "\r\n"), N: l.N})
		}
	case "pass", "fail", "skip", "build-fail":
		if e.Test == "" {
			s.drop(lane)
			delete(g.partial, lane)
			delete(g.test, lane)
		}
	}
	return true
}
