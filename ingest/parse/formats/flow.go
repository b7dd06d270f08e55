package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// flowFormat reads the errors of Flow, the type checker for JavaScript. An error begins with a line of dashes that ends
// in the place. The message is below.
var flowFormat = parse.Format{
	Name:   "flow",
	About:  "Flow: type errors of JavaScript",
	Starts: []string{"Error ---", "Warning ---", "Error ┈┈┈", "Warning ┈┈┈"},
	Match:  matchFlow,
}

// matchFlow reads "Error ------- a.js:2:19".
func matchFlow(s *parse.Scan, l parse.Line) bool {
	word, at, _ := strings.Cut(l.Trim(), " ")
	at = strings.TrimSpace(strings.TrimLeft(at, "-┈"))
	p, _, ok := parse.PlaceAt(at + ": ")
	if !ok || p.Column == 0 {
		return false
	}
	d := parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Column: p.Column, Category: store.CategoryType}}
	if word == "Warning" {
		d.Severity = store.SeverityWarning
	}
	added, blanks := s.Add(d), 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if text == "" {
			if blanks++; blanks == 2 {
				added.Message, added.Code = cutCode(added.Message)
				return parse.Done
			}
			return parse.Take
		}
		if len(added.Message) > parse.MaxText {
			return parse.Done
		}
		added.Message = strings.TrimSpace(added.Message + " " + text)
		added.Extend(l)
		return parse.Take
	})
	return true
}
