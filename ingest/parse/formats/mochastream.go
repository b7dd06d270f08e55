package formats

import (
	"encoding/json"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// mochaStreamed begins a line of the reporter json-stream about a failed test.
const mochaStreamed = `["fail",{"title":`

// readMochaStream reads a line that begins with mochaStreamed. The line is an array with the outcome and the test.
func readMochaStream(s *parse.Scan, text string) bool {
	var test struct{ FullTitle, Err, Stack string }
	line := [2]any{new(string), &test}
	if json.Unmarshal([]byte(text), &line) != nil || test.FullTitle == "" {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{Category: store.CategoryTest, Test: test.FullTitle, Message: test.Err}})
	if d.Message == "" { // before version 2
		d.Message = "failed: " + test.FullTitle
	}
	var trace jsTrace
	for line := range strings.Lines(test.Stack) {
		trace.add(line)
	}
	trace.tell(d)
	return true
}
