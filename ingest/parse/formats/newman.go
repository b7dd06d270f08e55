package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// newmanFormat reads the table of failures that Newman prints at the end of a run of a Postman collection.
var newmanFormat = parse.Format{
	Name:     "newman",
	About:    "Newman: failed assertions and requests of Postman collections",
	Triggers: []string{" failure "},
	Match:    matchNewman,
}

// matchNewman reads
//
//	 #  failure         detail
//
//	1.  AssertionError  status is 200
//	                    expected 500 to equal 200
//	                    at assertion:0 in test-script
//	                    inside "get a"
func matchNewman(s *parse.Scan, l parse.Line) bool {
	if strings.Join(strings.Fields(l.Text), " ") != "# failure detail" {
		return false
	}
	n := newmanTable{s: s, detail: strings.Index(l.Text, "detail")}
	s.Block(n.line)
	return true
}

type newmanTable struct {
	s      *parse.Scan
	detail int // column at which the details begin
	d      *parse.Draft
	ended  bool // the place was read
}

func (n *newmanTable) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	if text == "" {
		return parse.Take
	}
	if number, digits := parse.Number(text); number > 0 && strings.HasPrefix(text[digits:], ".  ") {
		kind, detail, _ := strings.Cut(strings.TrimSpace(text[digits+1:]), "  ")
		d := parse.Draft{Event: store.Event{Message: kind, Category: store.CategoryTest}}
		if kind == "AssertionError" {
			d.Test = strings.TrimSpace(detail)
		}
		n.d, n.ended = n.s.Add(d), false
		return parse.Take
	}
	if n.d == nil || l.Indent() < n.detail {
		return parse.Done
	}
	inside, isInside := strings.CutPrefix(text, "inside ")
	switch {
	case strings.HasPrefix(text, "at "):
		n.ended = true
	case isInside:
		n.ended = true
		if item := strings.Trim(inside, `"`); item != "" && n.d.Test != "" {
			n.d.Test = item + ": " + n.d.Test
		} else if item != "" {
			n.d.Test = item
		}
	case n.ended:
	case n.d.Message == "AssertionError" || n.d.Message == "Error":
		n.d.Message = text
	case strings.IndexByte(n.d.Message, ' ') < 0 && strings.HasSuffix(n.d.Message, "Error"):
		n.d.Message += ": " + text
	default:
		n.d.Message += " " + text
	}
	n.d.Extend(l)
	return parse.Take
}
