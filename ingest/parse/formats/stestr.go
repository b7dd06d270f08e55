package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// stestrFormat reads the final report of stestr, OpenStack's test runner: each failed test, underlined, with its
// captured output.
var stestrFormat = parse.Format{
	Name:     "stestr",
	About:    "stestr: failed tests with their captured traceback",
	Triggers: []string{"tests - output below:", "tests failed - output below:"},
	Starts:   []string{"Failures during discovery"},
	Match:    matchStestr,
}

func matchStestr(s *parse.Scan, l parse.Line) bool {
	if !strings.HasPrefix(l.Text, "Failed ") && !strings.HasPrefix(l.Text, "Failures during") {
		return false
	}
	var d *parse.Draft
	var t *traceback
	var last parse.Line
	taken := false // whether the line is in the traceback and not in other captured output
	s.Block(func(l parse.Line) parse.Verdict {
		text := strings.TrimRight(l.Text, " ")
		switch {
		case text == "Totals" || strings.HasPrefix(text, "The above traceback was encountered"):
			return parse.Done
		case len(text) > 2 && len(text) == len(last.Text) && strings.Trim(text, "-") == "" && isDotted(cutAt(last.Text, '[')):
			d = s.Add(parse.Draft{Event: store.Event{Category: store.CategoryTest, Test: last.Text, Message: "test failed",
				LogLine: last.N}})
			t, taken = &traceback{d: d}, false
		case strings.HasPrefix(text, "Failed to import test module: "):
			d = s.Add(parse.Draft{Event: store.Event{Category: store.CategoryTest, Test: text[30:], Message: text}})
			t, taken = &traceback{d: d}, true
		case strings.HasPrefix(text, "Captured "):
			taken = strings.HasPrefix(text, "Captured traceback") && d != nil && d.Message == "test failed"
		case isChainWord(strings.TrimSpace(text)):
			taken = true
		case t != nil && taken:
			taken = !t.read(strings.TrimPrefix(text, "    "))
			d.Code = ""
			d.Extend(l)
		}
		if text != "" {
			last = parse.Line{Text: text, N: l.N}
		}
		return parse.Take
	})
	return true
}
