package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// xctestFormat reads tests of Swift and Objective-C: XCTest in the output of xcodebuild and "swift test",
// swift-testing, and the output of xcpretty and xcbeautify.
func xctestFormat() parse.Format {
	return parse.Format{
		Name:  "xctest",
		About: "XCTest and swift-testing, also through xcpretty and xcbeautify",
		Triggers: append(eachDigit(".m:", ""), ": error: -[", ".swift:", "' failed (", "' failed on '",
			" recorded an issue ", ".mm:", "✗ ", "✖ ", "✘ Test "),
		Starts: []string{"Failing tests:"},
		Match:  matchXCTest,
	}
}

func matchXCTest(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "Failing tests:"):
		s.Block(func(l parse.Line) parse.Verdict { return failingTest(s, l) })
		return true
	case strings.HasPrefix(text, "Test Case '"), strings.HasPrefix(text, "Test case '"):
		name, rest, _ := strings.Cut(text[len("Test Case '"):], "' ")
		if !strings.HasPrefix(rest, "failed ") {
			return false
		}
		addXCTest(s, name, parse.Place{}, "failed", parse.Mark)
		return true
	case strings.Contains(text, " recorded an issue "):
		return swiftTesting(s, text)
	case strings.HasPrefix(text, "✘ Test ") && strings.Contains(text, " failed after ") &&
		!strings.HasPrefix(text, "✘ Test run "):
		name, _, _ := strings.Cut(text[len("✘ Test "):], " failed after ")
		addSwiftTesting(s, name, parse.Place{}, "failed", parse.Mark)
		return true
	}
	if rest, ok := cutAny(text, "✗ ", "✖ "); ok {
		name, message, found := strings.Cut(rest, ", ")
		if !found || !isSelector(name) {
			return false
		}
		addXCTest(s, name, parse.Place{}, message, parse.Mark)
		return true
	}
	p, rest, ok := parse.PlaceAt(text)
	if !ok {
		return false
	}
	if rest == "" && l.Indent() == 2 {
		return xcprettyDetail(s, l, p)
	}
	return xctestIssue(s, p, rest)
}

// xcprettyDetail reads the place below "  testAdds, message" in xcpretty's list of failures. The message may have
// several lines.
func xcprettyDetail(s *parse.Scan, l parse.Line, p parse.Place) bool {
	said := s.Said(maxXCLines)
	for i, line := range said {
		name, message, ok := strings.Cut(strings.TrimSpace(line.Text), ", ")
		if line.N < l.N-maxXCLines || !strings.HasPrefix(line.Text, "  ") && i == len(said)-1 {
			return false
		}
		if !ok || line.Indent() != 2 || !isSelector(name) {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			message += "\n" + said[j].Trim()
		}
		d := addXCTest(s, name, p, message, parse.Detail)
		d.LogLine = min(d.LogLine, line.N)
		return true
	}
	return false
}

// maxXCLines is the max number of lines of a failure's message in xcpretty's list.
const maxXCLines = 5

// isSelector reports whether a name is the name of a test method: testAdds, or Cart__when_empty__it_adds of Quick.
func isSelector(name string) bool {
	return name != "" && strings.IndexByte(name, ' ') < 0 &&
		(strings.HasPrefix(name, "test") || strings.IndexByte(name, '_') > 0)
}

// xctestIssue reads the text after the place: "error: -[Shop.CartTests testAdds] : message", or on Linux "error:
// CartTests.testAdds : message".
func xctestIssue(s *parse.Scan, p parse.Place, rest string) bool {
	rest, ok := strings.CutPrefix(rest, "error: ")
	if !ok {
		return false
	}
	name, message, ok := strings.Cut(rest, " : ")
	if !ok || !strings.HasPrefix(name, "-[") && (strings.IndexByte(name, ' ') >= 0 || strings.Count(name, ".") != 1) {
		return false
	}
	addXCTest(s, name, p, message, parse.Detail)
	return true
}

// addXCTest adds a failed test. All failures of one test are one event.
func addXCTest(s *parse.Scan, name string, p parse.Place, message string, rank parse.Rank) *parse.Draft {
	if inner, ok := strings.CutPrefix(name, "-["); ok { // -[Shop.CartTests testAdds]
		name = strings.ReplaceAll(strings.TrimSuffix(inner, "]"), " ", ".")
	}
	name = strings.TrimSuffix(name, "()")
	key := name[strings.LastIndexByte(name, '.')+1:]
	if class := strings.TrimSuffix(name, "."+key); class != name {
		key = class[strings.LastIndexByte(class, '.')+1:] + "." + key
	}
	if old := s.Reported("xctest", key); old != nil && old.Rank == rank {
		return old
	}
	return s.Add(parse.Draft{Key: key, Rank: rank,
		Event: store.Event{File: p.File, Line: p.Line, Column: p.Column, Test: name, Message: message,
			Category: store.CategoryTest}})
}

// failingTest reads a line of xcodebuild's list, which has a tab and the name.
func failingTest(s *parse.Scan, l parse.Line) parse.Verdict {
	name := l.Trim()
	switch {
	case name == "" || !strings.HasPrefix(l.Text, "\t"):
		return parse.Done
	case strings.HasSuffix(name, ":"): // the target
	case strings.HasPrefix(name, "-[") || strings.Contains(name, ".") && strings.IndexByte(name, ' ') < 0:
		addXCTest(s, name, parse.Place{}, "failed", parse.Summary)
	}
	return parse.Take
}

// swiftTesting reads `✘ Test "adds" recorded an issue at A.swift:16:17: Expectation failed: …`. The sign depends on the
// fonts of the system.
func swiftTesting(s *parse.Scan, text string) bool {
	name, rest, _ := strings.Cut(text, " recorded an issue ")
	_, name, ok := strings.Cut(name, "Test ")
	i := strings.LastIndex(rest, "at ")
	if j := strings.Index(rest, ".swift:"); j > 0 {
		i = strings.LastIndex(rest[:j], "at ")
	}
	if !ok || i < 0 {
		return false
	}
	p, message, ok := parse.PlaceAt(rest[i+3:])
	if !ok {
		message = rest
	}
	name = strings.TrimPrefix(name, "case passing 1 argument ")
	addSwiftTesting(s, name, p, message, parse.Detail)
	return true
}

func addSwiftTesting(s *parse.Scan, name string, p parse.Place, message string, rank parse.Rank) {
	if quoted, ok := strings.CutPrefix(name, `"`); ok {
		name, _, _ = strings.Cut(quoted, `"`)
	}
	name, _, _ = strings.Cut(name, " with ") // "with 2 test cases"
	name = strings.TrimSuffix(name, "()")
	if old := s.Reported("swift-testing", name); old != nil && old.Rank == rank {
		return
	}
	s.Add(parse.Draft{Key: name, Rank: rank,
		Event: store.Event{File: p.File, Line: p.Line, Column: p.Column, Test: name, Message: message,
			Tool: "swift-testing", Category: store.CategoryTest}})
}
