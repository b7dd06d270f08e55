package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// prologFormat reads SWI-Prolog: "ERROR: a.pl:3:12: Syntax error: …", or the place and the message below it. plunit
// prints failed tests in this form.
var prologFormat = parse.Format{
	Name:     "prolog",
	About:    "SWI-Prolog: errors, warnings, failed tests of plunit",
	Triggers: []string{".pl:", ".plt:", ".pro:"},
	Starts:   []string{"ERROR: -g "},
	Match:    matchProlog,
}

var prologLine = parse.Lines{
	{Text: "^{severity:ERROR=error|Warning=warning}: {place:.pl|.plt|.pro|.prolog}{ }{message}",
		Category: store.CategoryCompile},
	{Text: "^{severity:ERROR=error|Warning=warning}: {place:.pl|.plt|.pro|.prolog}", Category: store.CategoryCompile},
	{Text: "^ERROR: -g «{_}: false»", Category: store.CategoryRuntime, Weight: parse.Repeat},
	{Text: "^ERROR: -g «{*}»", Category: store.CategoryRuntime, Weight: parse.Likely},
}

func matchProlog(s *parse.Scan, l parse.Line) bool {
	read, ok := prologLine.Read(l.Text)
	if !ok || l.Indent() > 0 {
		return false
	}
	read.Weight = max(read.Weight, parse.Likely) // SWI-Prolog goes on after an error
	d := s.Add(read)
	words := parse.Message{Between: "\n"}
	if d.Message != "" {
		words.Add(d.Message)
	}
	s.Block(func(l parse.Line) parse.Verdict {
		text, ok := prologMore(l)
		switch {
		case !ok || read.File == "":
			return parse.Done
		case words.Empty() && strings.HasPrefix(text, "test "):
			d.Test, text, _ = strings.Cut(strings.TrimPrefix(text, "test "), ": ")
			d.Category, d.Weight = store.CategoryTest, parse.Certain
		}
		words.Tell(d, text)
		d.Extend(l)
		return parse.Take
	})
	return true
}

// prologMore reads a line below an error. Such a line begins with a tab, with the severity and blanks, or with the name
// of the goal that runs at the start.
func prologMore(l parse.Line) (string, bool) {
	for _, word := range []string{"\t", "ERROR:    ", "Warning:    ", "ERROR: '$run_init_goal'/1: "} {
		if text, ok := strings.CutPrefix(l.Text, word); ok {
			return strings.TrimSpace(text), true
		}
	}
	return "", false
}
