package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// catch2Format reads the console and compact reporters of Catch and Catch2.
var catch2Format = parse.Format{
	Name:     "catch2",
	About:    "Catch and Catch2: the console and compact reporters",
	Triggers: []string{": FAILED:", ": failed: "},
	Starts:   []string{catchRule, "test cases: ", "Error(s) in input:", "No test cases matched '"},
	Lines: parse.Lines{
		{Text: "^«Error(s) in input:»", Category: store.CategoryTest,
			Below: parse.Below{Indent: 2, Join: " "}.Pattern},
		{Text: "^«No test cases matched '{_}'»", Category: store.CategoryTest, Weight: parse.Likely},
	},
	New: func() parse.Matcher { return new(catch2).match },
}

// catchRule is the line of dashes that Catch prints above and below the name of a test case.
const catchRule = "-------------------------------------------------------------------------------"

// catch2 remembers the test case that the log is in, and the failures of the program so far.
type catch2 struct {
	test   string         // test case with its sections, in the form of the JUnit reporter
	failed []*parse.Draft // failures of this program
}

const (
	maxCatchNames    = 20
	maxCatchFailures = 1000
)

func (c *catch2) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if text == catchRule {
		c.header(s)
		return true
	}
	if counts, ok := strings.CutPrefix(text, "test cases: "); ok {
		c.expected(counts)
		return true
	}
	p, rest, ok := parse.PlaceAt(text)
	if !ok {
		return false
	}
	if rest == "FAILED:" {
		d := c.add(s, p, "")
		s.Block(catchDetail.Block(d))
		return true
	}
	if expression, ok := strings.CutPrefix(rest, "failed: "); ok && isCSource(p.File) { // the compact reporter
		s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Message: expression, Category: store.CategoryTest}})
		return true
	}
	return false
}

// add records a failed assertion. All failed assertions of a test case are one failure.
func (c *catch2) add(s *parse.Scan, p parse.Place, message string) *parse.Draft {
	d := parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Message: message, Test: c.test,
		Category: store.CategoryTest}, Key: c.test}
	if s.Reported("catch2", c.test) != nil {
		d.Rank = parse.Mark
	}
	added := s.Add(d)
	if len(c.failed) < maxCatchFailures {
		c.failed = append(c.failed, added)
	}
	return added
}

// expected reads the counts at the end, such as "2 | 1 passed | 1 failed as expected". If all failures were expected,
// it removes all failures of the program.
func (c *catch2) expected(counts string) {
	if strings.Contains(counts, "failed as expected") && strings.Count(counts, "failed") == 1 {
		for _, d := range c.failed {
			d.Merged = true
		}
	}
	*c = catch2{}
}

// header reads the names between two rulers:
//
//	-------------------------------------------------------------------------------
//	Factorials are computed
//	  of zero
//	-------------------------------------------------------------------------------
//	test.cpp:8
//	...............................................................................
func (c *catch2) header(s *parse.Scan) {
	var names []string
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case text == "" || len(names) >= maxCatchNames:
			return parse.Done
		case text == catchRule:
			if len(names) == 0 {
				return parse.Done
			}
			c.test = strings.Join(names, "/")
			return parse.Last
		case strings.HasPrefix(text, "===") || strings.HasPrefix(text, "~~~"):
			return parse.Done
		case len(names) > 0 && l.Indent() == 0:
			names[0] += " " + text // a long name is wrapped
		default:
			names = append(names, text)
		}
		return parse.Pass
	})
}

// catchDetail reads the expression of an assertion and its expansion.
var catchDetail = parse.Below{Until: []string{"=====", "-----", "....."}, Join: "\n", MaxText: 1000}
