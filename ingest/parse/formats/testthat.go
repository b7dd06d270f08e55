package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// testthatFormat reads R's testthat, since version 1.
var testthatFormat = parse.Format{
	Name:  "testthat",
	About: "R's testthat: failures and errors",
	Triggers: []string{"── Failure", "── Error", "── FAILURE", "── ERROR", "-- Failure", "-- Error",
		"Failure ('", "Error ('", "Failure (test", "Error (test", ". Failure: ", ". Error: ", ". Failure (", ". Error (",
		". Failure(@", ". Error(@"},
	Match: matchTestthat,
}

func matchTestthat(s *parse.Scan, l parse.Line) bool {
	e, ok := testthatHeader(l.Trim())
	if !ok {
		return false
	}
	e.Category = store.CategoryTest
	d := s.Add(parse.Draft{Event: e})
	var msg parse.Message
	var blank parse.Blanks
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		before, empty := blank.Line(text)
		switch {
		case before == 1 && empty:
			return parse.Done
		case empty:
			msg.Add("")
			return parse.Take
		case hasAnyPrefix(text, "──", "══", "--", "==", "[ FAIL", "Error: Test failures", "testthat results",
			"Execution halted", "Skip (", "Warning (", "* ", "Error: testthat"), l.N > d.LogLine+200:
			return parse.Done
		}
		if _, ok := testthatHeader(text); ok {
			return parse.Done
		}
		if text == "Backtrace:" {
			msg.End()
		}
		if msg.Add(text); !msg.Empty() {
			d.Message = msg.String()
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// testthatHeader reads "── Failure (test-x.R:3:5): sums work ──────". Older versions have a number and quotes. The
// first versions print "1. Failure: sums work (@test-x.R#3) ----".
func testthatHeader(text string) (store.Event, bool) {
	text = strings.TrimRight(strings.TrimRight(text, "─-"), " ")
	text = strings.TrimLeft(text, "─- ")
	if _, n := parse.Number(text); n > 0 {
		rest, ok := strings.CutPrefix(text[n:], ". ")
		if !ok {
			return store.Event{}, false
		}
		text = rest
	}
	rest, ok := "", false
	for _, word := range [...]string{"Failure", "Error", "FAILURE", "ERROR"} {
		if rest, ok = strings.CutPrefix(text, word); ok {
			break
		}
	}
	e := store.Event{Message: "test failed"}
	switch {
	case !ok:
		return e, false
	case strings.HasPrefix(rest, " ("): // since testthat 2.1
		at, name, found := strings.Cut(rest[2:], "): ")
		if !found {
			return e, false
		}
		at = strings.Trim(at, "'‘’")
		e.Test = name
		if p, after, ok := parse.PlaceAt(at); ok && after == "" {
			e.File, e.Line, e.Column = p.File, p.Line, p.Column
		} else if at != "???" && at != "@???" && !parse.IsFileName(at) {
			return e, false
		}
		return e, true
	case strings.HasPrefix(rest, "(@"): // testthat 0.11
		at, name, found := strings.Cut(rest[2:], "): ")
		e.Test = name
		return testthatPlace(e, at), found
	}
	name, found := strings.CutPrefix(rest, ": ")
	i := strings.LastIndex(name, " (@")
	if !found || i < 0 || !strings.HasSuffix(name, ")") {
		return e, false
	}
	e.Test = name[:i]
	return testthatPlace(e, name[i+3:len(name)-1]), true
}

// testthatPlace reads "test-x.R#3".
func testthatPlace(e store.Event, at string) store.Event {
	file, line, ok := strings.Cut(at, "#")
	if ok && parse.IsFileName(file) {
		e.File = file
		e.Line, _ = parse.Number(line)
	}
	return e
}
