package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// nodeTapFormat reads the reporters of node-tap that are made for people: base, terse, min and dot. Its other reporters
// print TAP.
var nodeTapFormat = parse.Format{
	Name:   "node-tap",
	About:  "node-tap: failed tests of its reporters base, terse, min and dot",
	Starts: []string{" FAIL  ", "✖ ", "Asserts: "},
	New:    func() parse.Matcher { return new(heading).nodeTap },
}

// heading is the newest line that says what the errors below it are about.
type heading struct {
	text string
	at   int  // number of the line, 0 if there is none
	said said // titles and messages that GitHub's annotations repeat
}

// nodeTap reads " FAIL  cart.test.js 4 failed of 5 2.1s" or " FAIL  cart.test.js 0 1.2s", and then "✖ test > message"
// for each failed test of the file. The reporter base prints them twice.
func (h *heading) nodeTap(s *parse.Scan, l parse.Line) bool {
	if f := strings.Fields(l.Text); len(f) > 3 && f[0] == "FAIL" && parse.AllDigits(f[2]) {
		h.text = f[1]
		h.nodeTapFailure(s, f[1]+" failed").Weight = parse.Repeat
		return true
	}
	title, ok := strings.CutPrefix(l.Text, "✖ ")
	if !ok || h.text == "" {
		h.text = ""
		return false
	}
	i := strings.LastIndexByte(title, ' ')
	p, placed := jsPlace(title[i+1:]) // the place may be on the same line
	if placed && i > 0 {
		title = title[:i]
	}
	d := s.Reported("tap", h.text+title)
	if d == nil {
		d = h.nodeTapFailure(s, title)
	}
	d.Line, d.Column = p.Line, p.Column
	d.Move(l)
	if i = strings.LastIndex(title, " > "); i > 0 {
		d.Test, d.Message = title[:i], title[i+3:]
	}
	s.Block(parse.Below{Indent: 2, Each: func(text string) {
		if p, ok := jsFrame("at " + text); ok && d.Line == 0 {
			d.Line, d.Column = p.Line, p.Column
		}
	}}.Block(d))
	return true
}

// nodeTapFailure adds a failure of the file in the heading.
func (h *heading) nodeTapFailure(s *parse.Scan, message string) *parse.Draft {
	return s.Add(parse.Draft{Key: h.text + message,
		Event: store.Event{File: h.text, Message: message, Tool: "tap", Category: store.CategoryTest}})
}
