package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// doctestFormat reads Python's doctest module. Each failed example is below a line of 70 stars.
var doctestFormat = parse.Format{
	Name:   "doctest",
	About:  "Python's doctest: failed examples",
	Starts: []string{strings.Repeat("*", 70)},
	Match:  matchDoctest,
}

func matchDoctest(s *parse.Scan, l parse.Line) bool {
	if !isRule(l.Text, "*") {
		return false
	}
	var d *parse.Draft
	part := "" // the kind of the indented lines
	got := map[string]string{}
	s.Block(func(l parse.Line) parse.Verdict {
		text := strings.TrimRight(l.Text, " ")
		if d == nil {
			file, line, ok := pythonFrame(" " + text)
			_, name, found := strings.Cut(text, ", in ")
			if !ok || !found {
				return parse.Done
			}
			d = s.Add(parse.Draft{Event: store.Event{File: file, Line: line, Test: name, Message: "example failed",
				Category: store.CategoryTest}})
			return parse.Take
		}
		switch {
		case text == "" || strings.HasPrefix(text, "    "):
			if rest := strings.TrimSpace(text); part == "Exception raised:" && rest != "" && text[4] != ' ' {
				d.Message = rest
			} else if part != "" && rest != "" && len(got[part]) < 200 {
				got[part] += " " + rest
			}
		case strings.HasSuffix(text, ":") || text == "Expected nothing" || text == "Got nothing":
			part = text
			got[part] = ""
		default:
			return parse.Done
		}
		if g, ok := got["Got:"]; ok {
			d.Message = "Expected:" + got["Expected:"] + " Got:" + g
			if _, ok := got["Expected nothing"]; ok {
				d.Message = "Expected nothing Got:" + g
			}
		} else if _, ok := got["Got nothing"]; ok {
			d.Message = "Expected:" + got["Expected:"] + " Got nothing"
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}
