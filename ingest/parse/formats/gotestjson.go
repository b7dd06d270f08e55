package formats

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// gotestJSONFormat reads the output of go test -json. Each line is an event of a package or a test: a piece of output,
// or the outcome.
var gotestJSONFormat = parse.Format{
	Name:     "gotest-json",
	About:    "go test -json and test2json",
	Triggers: []string{`"Action":"`},
	New: func() parse.Matcher {
		return (&goTestJSON{partial: map[string]string{}, test: map[string]string{}}).match
	},
}

type goTestJSON struct {
	partial map[string]string // unfinished line of each package
	test    map[string]string // by package: the test that printed the last line
}

var goOutcomes = map[string]store.TestOutcome{"pass": store.TestPassed, "fail": store.TestFailed,
	"skip": store.TestSkipped}

type goTestEvent struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

func (g *goTestJSON) match(s *parse.Scan, l parse.Line) bool {
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
			if len(text) < parse.MaxLine && len(g.partial) < parse.MaxLanes {
				g.partial[lane] = text
			}
			return true
		}
		if e.Test != g.test[lane] && e.Test != "" && !strings.HasPrefix(text, "=== ") {
			s.Within(lane, parse.Line{Text: "=== NAME  " + e.Test, N: l.N})
		}
		if _, known := g.test[lane]; known || len(g.test) < parse.MaxLanes {
			g.test[lane] = e.Test
		}
		for line := range strings.Lines(text) {
			s.Within(lane, parse.Line{Text: strings.TrimRight(line, "\r\n"), N: l.N})
		}
	case "pass", "fail", "skip", "build-fail":
		if e.Test == "" {
			s.Drop(lane)
			delete(g.partial, lane)
			delete(g.test, lane)
		} else if o, ok := goOutcomes[e.Action]; ok {
			s.Test(parse.Result{Name: e.Package + "." + e.Test, Outcome: o, Same: true,
				Duration: duration(e.Elapsed, true, time.Second)})
		}
	}
	return true
}
