package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// tapClassic reads a failed assertion of node-tap's reporter classic: "  not ok name", and YAML without the lines "---"
// and "...". If the line above the assertion is indented by two, it names the test.
func tapClassic(s *parse.Scan, l parse.Line, name string) {
	test := name
	if said := s.Said(1); len(said) > 0 && said[0].N == l.N-1 && said[0].Indent() == 2 {
		test = said[0].Trim()
	}
	var b tapBlock
	s.Block(func(below parse.Line) parse.Verdict {
		if below.Indent() < 4 {
			return parse.Done
		}
		if b.d == nil {
			b.d = s.Add(parse.Draft{Event: store.Event{Category: store.CategoryTest, Test: test, Message: name,
				LogLine: l.N}})
		}
		b.d.Extend(below)
		b.key(below.Trim())
		return parse.Take
	})
}
