package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// octaveFormat reads the tests of GNU Octave: "***** assert (price (2), 5)", "!!!!! test failed" and the message.
var octaveFormat = parse.Format{
	Name:   "octave",
	About:  "GNU Octave: failed tests",
	Starts: []string{"***** ", ">>>>> ", "!!!!! test failed"},
	New:    func() parse.Matcher { return new(octave).match },
}

// octave keeps the file and the newest test.
type octave struct {
	file, test string
}

func (o *octave) match(s *parse.Scan, l parse.Line) bool {
	if file, ok := strings.CutPrefix(l.Text, ">>>>> "); ok && strings.HasSuffix(file, ".m") {
		o.file = file
		return true
	}
	if test, ok := strings.CutPrefix(l.Text, "***** "); ok {
		o.test = test
		return false
	}
	if l.Text != "!!!!! test failed" || o.test == "" {
		return false
	}
	if o.test == "test" { // a block of code; its last line is above
		o.test = before(s)
	}
	d := testDraft(o.test, "test failed")
	d.File = o.file
	added := s.Add(d)
	var words parse.Message
	table := false // the rows below "ASSERT errors for:"
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case hasAnyPrefix(text, "*****", ">>>>>", "!!!!!"), l.N > added.LogLine+10:
			return parse.Done
		case strings.HasPrefix(text, "ASSERT errors for:"):
			table = true
		case text == "" && table && !words.Empty():
			return parse.Done
		case text != "" && !strings.HasPrefix(text, "Location  |"):
			words.Tell(added, text)
		case text == "" && !table:
			return parse.Done
		}
		added.Extend(l)
		return parse.Take
	})
	return true
}
