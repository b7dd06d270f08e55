package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ctestFormat reads ctest: the line of each test, and the list at the end.
var ctestFormat = parse.Format{
	Name:     "ctest",
	About:    "CTest",
	Triggers: []string{" Test  #", " Test #", " Test   #", " Test    #"},
	Starts:   []string{"The following tests FAILED:", "Errors while running CTest", "No tests were found!!!"},
	New:      func() parse.Matcher { return new(ctest).match },
}

// ctest keeps the newest failed test, because the output of the test may be below its result.
type ctest struct {
	failed *parse.Draft
}

func (c *ctest) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "The following tests FAILED:"):
		c.printed(s)
		ctestList(s)
		return true
	case strings.HasPrefix(text, "Errors while running CTest"):
		s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryTest}, Weight: parse.Repeat})
		return true
	case strings.HasPrefix(text, "No tests were found!!!"):
		s.Add(parse.Draft{Event: store.Event{Severity: store.SeverityWarning, Message: text, Category: store.CategoryTest}})
		return true
	}
	return c.result(s, l) || ctestRetry(s, text)
}

// printed is called after the output of a failed test has ended. If the newest draft is a likely error in this output,
// printed makes it certain, because the test failed.
func (c *ctest) printed(s *parse.Scan) {
	failed, said := c.failed, s.Newest()
	c.failed = nil
	if failed != nil && said != nil && said.LogLine > failed.LogLine && said.Weight == parse.Likely {
		said.Weight = parse.Certain
	}
}

// ctestRetry reads "Test #2: name ......   Passed    0.01 sec", which ctest --repeat writes without a count. The
// failure of the test becomes a warning.
func ctestRetry(s *parse.Scan, text string) bool {
	rest, ok := strings.CutPrefix(text, "Test ")
	if !ok {
		return false
	}
	_, rest, _ = strings.Cut(rest, ": ")
	name, dots, ok := strings.Cut(rest, " ..")
	if !ok || !strings.HasPrefix(strings.TrimLeft(dots, ". "), "Passed ") {
		return false
	}
	if failed := s.Reported("ctest", name); failed != nil {
		failed.Severity, failed.Message = store.SeverityWarning, failed.Message+", and passed when it was repeated"
	}
	return true
}

// result reads " 2/3 Test #2: name ......***Failed    0.00 sec".
func (c *ctest) result(s *parse.Scan, l parse.Line) bool {
	count, rest, ok := strings.Cut(l.Trim(), " Test ")
	if !ok || !strings.Contains(count, "/") {
		return false
	}
	_, rest, ok = strings.Cut(strings.TrimLeft(rest, " "), ": ")
	if !ok {
		return false
	}
	c.printed(s)
	name, how, ok := strings.Cut(rest, "***")
	if !ok {
		return false
	}
	before := ""
	if i := strings.Index(name, " .."); i > 0 {
		name, before = name[:i], strings.Trim(name[i:], " .")
	}
	if how = ctestReason(how); how == "Exception" && before != "" {
		how = before // Subprocess aborted
	}
	if strings.HasPrefix(how, "Skipped") || strings.HasPrefix(how, "Not Run (Disabled)") {
		return true
	}
	d := s.Add(parse.Draft{Event: store.Event{Test: strings.TrimSpace(name), Message: how, Category: store.CategoryTest},
		Key: strings.TrimSpace(name)})
	c.failed = d
	if said := s.Said(1); how == "Not Run" && len(said) > 0 && said[0].N == l.N-1 {
		ctestMessage(d, []string{said[0].Trim()}) // Unable to find executable: x
		return true
	}
	ctestOutput(s, d)
	return true
}

// ctestOutput reads the output of a test, which ctest --output-on-failure prints below the result, up to an empty line.
// Other formats read these lines, too. If no format finds an error in them, the last lines become the message.
func ctestOutput(s *parse.Scan, d *parse.Draft) {
	var words []string
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if text != "" && !strings.Contains(text, " Test ") && !hasAnyPrefix(text, "Start ", "test ", "Test command: ") {
			if text[0] == ']' && len(words) == 0 {
				return parse.Pass // the end of a result that names a regular expression
			}
			words = append(words[max(0, len(words)-maxCTestWords+1):], text)
			return parse.Pass
		}
		if s.Newest() == d && len(words) > 0 {
			ctestMessage(d, words)
		}
		return parse.Done
	})
}

// ctestMessage adds lines of a test's output to the message of its failure. They replace a message that is only
// "Failed".
func ctestMessage(d *parse.Draft, words []string) {
	if d.Message != "Failed" {
		words = append([]string{d.Message}, words...)
	}
	d.Message = strings.Join(words, "\n")
}

// maxCTestWords is the max number of lines in the message of a failed test. They are the end of the test's output.
const maxCTestWords = 3

// ctestReason removes the time from "Failed    0.00 sec" and "Exception: SegFault  0.10 sec".
func ctestReason(how string) string {
	how = strings.TrimSpace(how)
	if before, after, ok := strings.Cut(how, " sec"); ok {
		if i := strings.LastIndexByte(before, ' '); i >= 0 {
			before = strings.TrimSpace(before[:i])
		}
		how = strings.TrimSpace(before + after)
	}
	return strings.TrimSuffix(how, ":")
}

// ctestList reads "\t  2 - name (Failed)". If a test framework has reported a failure with the same name, both are the
// same failure.
func ctestList(s *parse.Scan) {
	s.Block(parse.Rows(func(l parse.Line) bool {
		text := l.Trim()
		_, rest, ok := strings.Cut(text, " - ")
		if _, n := parse.Number(text); n == 0 || !ok {
			return false
		}
		i := strings.LastIndex(rest, " (")
		if i < 0 {
			return false
		}
		name := rest[:i]
		how, _, _ := strings.Cut(rest[i+2:], ")")
		if how == "Disabled" || how == "Skipped" {
			return true
		}
		d := s.Add(parse.Draft{Event: store.Event{Test: name, Message: how, Category: store.CategoryTest, LogLine: l.N},
			Key: name, Rank: parse.Summary})
		for _, tool := range [...]string{"gtest", "catch2", "doctest", "boost-test"} {
			if s.Reported(tool, name) != nil {
				d.Merged = true
				if mark := s.Reported("ctest", name); mark != nil {
					mark.Merged = true
				}
			}
		}
		return true
	}))
}
