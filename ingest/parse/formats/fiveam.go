package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// fiveamFormat reads FiveAM, tests of Common Lisp. Below "Failure Details:", it prints each failure between two rulers:
// "PRICE in SHOP []:", and the message.
var fiveamFormat = parse.Format{
	Name:   "fiveam",
	About:  "FiveAM: tests of Common Lisp",
	Starts: []string{" Failure Details:"},
	Match: func(s *parse.Scan, _ parse.Line) bool {
		s.Block((&fiveam{s: s}).line)
		return true
	},
}

const fiveamRuler = "--------------------------------"

type fiveam struct {
	s     *parse.Scan
	d     *parse.Draft // the failure that is being read
	words parse.Message
	lines int // since the last ruler
}

func (f *fiveam) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	f.lines++
	switch {
	case text == fiveamRuler:
		if f.d != nil {
			f.d.Extend(l)
		}
		f.d, f.lines = nil, 0
	case f.lines > 200:
		return parse.Done
	case text == "":
	case f.d != nil:
		f.words.Tell(f.d, text)
		f.d.Extend(l)
	default:
		test, suite, ok := strings.Cut(strings.TrimSuffix(text, "]:"), " in ")
		suite, _, named := strings.Cut(suite, " [")
		if !ok || !named || f.lines != 1 {
			return parse.Done
		}
		f.words = parse.Message{Between: " ", Max: 8}
		f.d = f.s.Add(parse.Draft{Event: store.Event{Test: suite + " " + test, Message: "failed",
			Category: store.CategoryTest, LogLine: l.N}})
	}
	return parse.Take
}
