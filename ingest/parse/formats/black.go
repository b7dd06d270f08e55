package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// blackFormat reads black --check: files that it would change or cannot read.
var blackFormat = parse.Format{
	Name:     "black",
	About:    "black --check: Python files that are not formatted",
	Triggers: []string{"error: cannot format ", "error: cannot use --safe"},
	Starts:   []string{"would reformat "},
	New:      parse.Stateless(matchBlack),
}

func matchBlack(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if file, ok := strings.CutPrefix(text, "would reformat "); ok {
		s.Add(parse.Draft{Event: store.Event{File: file, Message: "would reformat", Category: store.CategoryLint, Code: "format"}})
		return true
	}
	_, rest, ok := strings.Cut(text, "error: cannot format ")
	file, message, ok2 := strings.Cut(rest, ": ")
	if !ok || !ok2 {
		return false
	}
	e := store.Event{File: file, Message: message, Category: store.CategoryCompile}
	for _, word := range [...]string{"Cannot parse: ", "Cannot parse for target version"} { // 3:6: source
		_, at, ok := strings.Cut(message, word)
		if i := strings.Index(at, ": "); ok && word[len(word)-1] != ' ' && i > 0 {
			at = at[i+2:]
		}
		if line, column, ok := strings.Cut(at, ":"); ok {
			e.Line, _ = parse.Number(line)
			e.Column, _ = parse.Number(column)
		}
	}
	s.Add(parse.Draft{Event: e})
	return true
}
