package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// racketFormat reads Racket: failed checks of RackUnit between rulers, and errors. A line such as "  context...:"
// follows the message of an error.
var racketFormat = parse.Format{
	Name:   "racket",
	About:  "Racket: errors, failed checks of RackUnit",
	Starts: []string{"FAILURE", "ERROR", "  context...:", "  location...:", "  compilation context...:"},
	Match:  matchRacket,
}

const rackunitRuler = "--------------------"

func matchRacket(s *parse.Scan, l parse.Line) bool {
	if l.Text == "FAILURE" || l.Text == "ERROR" {
		failedCheck(s)
		return false
	}
	if !strings.HasSuffix(l.Text, "context...:") && l.Text != "  location...:" {
		return false
	}
	d, ok := racketError(s.Said(racketDetails), l)
	if ok {
		added := s.Add(d)
		s.Block(parse.Below{Indent: 2, Each: func(text string) {
			if file, ok := strings.CutPrefix(text, `body of "`); ok && !strings.HasPrefix(file, "/usr/") {
				added.At(strings.TrimSuffix(file, `"`), 0, 0)
			}
		}}.Block(added))
	}
	return ok
}

// racketDetails is the max number of lines above the context of an error that are searched for the message.
const racketDetails = 8

// racketError reads the message above the context of an error. lines has the lines above, newest first. The lines
// between the message and the context are indented.
func racketError(lines []parse.Line, context parse.Line) (d parse.Draft, ok bool) {
	d = parse.Draft{Weight: parse.Likely, Event: store.Event{Category: store.CategoryRuntime}}
	for i, l := range lines {
		if l.N != context.N-1-i {
			break
		}
		if l.Indent() > 0 {
			continue
		}
		d.Message, d.LogLine, d.LogLineEnd = l.Trim(), l.N, context.N
		if p, rest, placed := parse.PlaceAt(l.Text); placed && strings.Contains(p.File, ".rkt") {
			d.File, d.Line, d.Column, d.Message = p.File, p.Line, p.Column, rest
			d.Category = store.CategoryCompile
		}
		for ; i > 0; i-- {
			d.Message += "\n" + lines[i-1].Trim()
		}
		return d, true
	}
	return d, false
}

// failedCheck reads the lines after FAILURE or ERROR, up to a ruler: "name: check-equal?", "location: a.rkt:3:0" and
// the values of the failed check. The line before FAILURE or ERROR has the name of the test case, or is a ruler.
func failedCheck(s *parse.Scan) {
	d := testDraft(strings.Trim(before(s), "-"), "")
	at := s.LineNumber()
	var words parse.Message
	s.Block(func(l parse.Line) parse.Verdict {
		key, value, keyed := strings.Cut(l.Text, ":")
		value = strings.TrimSpace(value)
		switch {
		case l.Text == rackunitRuler && d.File != "":
			d.Message, d.LogLine, d.LogLineEnd = words.String(), at, l.N
			s.Add(d)
			return parse.Last
		case l.N == at+1 && key != "name", l.N == at+2 && key != "location" || l.N > at+60:
			return parse.Done
		case keyed && key == "location":
			p, _, _ := parse.PlaceAt(value)
			d.File, d.Line, d.Column = p.File, p.Line, p.Column
		case key == "name":
			words.Add(value)
		case l.Trim() != "":
			words.Add(l.Text)
		}
		return parse.Take
	})
}
