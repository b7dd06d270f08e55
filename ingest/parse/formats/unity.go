package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// unityFormat reads two small test frameworks for C, whose failures are one
// line each: Unity and Check.
var unityFormat = parse.Format{
	Name:     "unity",
	About:    "Unity and Check, test frameworks for C",
	Triggers: []string{":FAIL:", ":FAIL", ":F:", ":E:"},
	New:      parse.Stateless(matchUnity),
}

// matchUnity reads Unity's "test.c:12:test_add:FAIL: Expected 1 Was 2" and
// Check's "test.c:10:F:core:test_add:0: Assertion 'a == 2' failed: a == 1".
func matchUnity(s *parse.Scan, l parse.Line) bool {
	parts := strings.SplitN(l.Trim(), ":", 5)
	if len(parts) < 4 || !isCSource(parts[0]) || !parse.AllDigits(parts[1]) || parts[1] == "" {
		return false
	}
	line, _ := parse.Number(parts[1])
	e := store.Event{File: parts[0], Line: line, Category: store.CategoryTest}
	switch {
	case (parts[2] == "F" || parts[2] == "E") && len(parts) == 5:
		test, rest, _ := strings.Cut(parts[4], ":")
		iteration, message, ok := strings.Cut(rest, ": ")
		if !ok || !parse.AllDigits(iteration) {
			return false
		}
		e.Tool, e.Test, e.Message = "check", parts[3]+"."+test, message
	case parts[3] == "FAIL" && parts[2] != "":
		e.Test, e.Message = parts[2], "test failed"
		if len(parts) == 5 && strings.TrimSpace(parts[4]) != "" {
			e.Message = strings.TrimSpace(parts[4])
		}
	default:
		return false
	}
	s.Add(parse.Draft{Event: e})
	return true
}
