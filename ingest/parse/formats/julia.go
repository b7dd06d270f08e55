package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// juliaFormat reads Julia's tests, uncaught errors, and errors of its package manager.
var juliaFormat = parse.Format{
	Name:     "julia",
	About:    "Julia: Test, uncaught errors, Pkg",
	Triggers: []string{"Test Failed at ", "Error During Test at ", "Got exception outside of a @test"},
	Starts: []string{
		"ERROR: LoadError: ", "ERROR: Package ", "ERROR: Some tests did not pass", "in expression starting at ",
		"ERROR: ",
	},
	New: func() parse.Matcher { return new(julia).match },
}

// julia keeps the newest uncaught error, because its place follows.
type julia struct{ last *parse.Draft }

func (j *julia) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	for _, w := range [...]string{"Test Failed at ", "Error During Test at "} {
		set, at, ok := strings.Cut(text, w)
		if p, _, placed := parse.PlaceAt(at); ok && placed {
			return juliaTest(s, strings.TrimSuffix(strings.TrimSpace(set), ":"), p, strings.TrimSuffix(w, " at "))
		}
	}
	if at, ok := strings.CutPrefix(text, "in expression starting at "); ok {
		if p, _, placed := parse.PlaceAt(at); placed && j.last != nil {
			j.last.At(p.File, p.Line, 0)
			j.last.Extend(l)
		}
		return true
	}
	d := parse.Draft{Weight: parse.Likely, Event: store.Event{Category: store.CategoryRuntime}}
	switch message, ok := strings.CutPrefix(l.Text, "ERROR: "); {
	case !ok:
		return false
	case strings.HasPrefix(message, "Some tests did not pass"),
		strings.HasPrefix(message, "Package ") && strings.Contains(message, " errored during testing"),
		strings.HasPrefix(message, "LoadError: Some tests did not pass"),
		strings.HasPrefix(message, "LoadError: Test run finished with errors"): // of Julia's own tests
		d.Weight, d.Message = parse.Repeat, message
	case strings.HasPrefix(message, "LoadError: Failed to precompile "): // the error is above
		d.Weight, d.Message = parse.Repeat, strings.TrimPrefix(message, "LoadError: ")
	case strings.HasPrefix(message, "LoadError: "):
		d.Weight, d.Message = parse.Certain, strings.TrimPrefix(message, "LoadError: ")
	default:
		return false
	}
	j.last = s.Add(d)
	return true
}

// juliaTest reads the lines below a failed test: the expression and its evaluation, or the exception.
func juliaTest(s *parse.Scan, set string, p parse.Place, what string) bool {
	d := s.Add(parse.Draft{Event: store.Event{Test: set, File: p.File, Line: p.Line, Message: what,
		Category: store.CategoryTest}})
	msg := parse.Message{Max: 3}
	s.Block(parse.Below{Indent: 2, Until: []string{"Stacktrace:"}, Lines: 20, Each: func(text string) {
		msg.Tell(d, text)
		if d.Test == "" {
			d.Test = strings.TrimSpace(strings.TrimPrefix(text, "Expression:"))
		}
	}}.Block(d))
	return true
}
