package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// cxxtestFormat reads CxxTest. A line names the test, and the lines below have its failures.
var cxxtestFormat = parse.Format{
	Name:   "cxxtest",
	About:  "CxxTest of C++",
	Starts: []string{"In "},
	Match:  matchCxxtest,
}

var cxxtestLines = parse.Lines{
	{Text: "{place}: {severity}: {message}", Category: store.CategoryTest},
}

// matchCxxtest reads "In ShopTest::testAdds:" and the lines "ShopTest.h:5: Error: Expected (1 + 1 == 3), found …".
func matchCxxtest(s *parse.Scan, l parse.Line) bool {
	test, ok := strings.CutSuffix(strings.TrimPrefix(l.Trim(), "In "), ":")
	if !ok || !strings.Contains(test, "::") || strings.Contains(test, " ") {
		return false
	}
	s.Block(func(l parse.Line) parse.Verdict {
		d, ok := cxxtestLines.Read(l.Text)
		if !ok || d.Severity == store.SeverityInfo {
			return parse.Done
		}
		d.Test = test
		d.Message = strings.TrimPrefix(d.Message, "Test failed: ")
		s.Add(d)
		return parse.Take
	})
	return true
}
