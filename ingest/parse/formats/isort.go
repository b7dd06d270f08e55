package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// isortFormat reads isort --check: files whose imports are not in order.
var isortFormat = parse.Format{
	Name:     "isort",
	About:    "isort --check: Python files whose imports are not sorted",
	Triggers: []string{" Imports are incorrectly sorted"},
	New:      parse.Stateless(matchIsort),
}

func matchIsort(s *parse.Scan, l parse.Line) bool {
	file, _, _ := strings.Cut(l.Trim(), " Imports are incorrectly sorted")
	file, ok := strings.CutPrefix(file, "ERROR: ")
	if !ok {
		return false
	}
	s.Add(parse.Draft{Event: store.Event{File: file, Message: "Imports are incorrectly sorted and/or formatted.", Category: store.CategoryLint, Code: "imports"}})
	return true
}
