package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// codespellFormat reads spelling checkers: codespell and misspell.
var codespellFormat = Format{
	Name:     "codespell",
	About:    "codespell and misspell: misspelled words",
	Triggers: []string{" ==> ", " is a misspelling of "},
	New:      stateless(matchSpelling),
}

// matchSpelling reads "a.txt:1: teh ==> the" and
// `a.txt:1:20: "zeebra" is a misspelling of "zebra"`.
func matchSpelling(s *Scan, l Line) bool {
	p, message, ok := placeAt(l.Text)
	if !ok {
		return false
	}
	e := store.Event{File: p.File, Line: p.Line, Column: p.Column, Message: message, Category: store.CategoryLint}
	if strings.Contains(message, `" is a misspelling of "`) {
		e.Tool = "misspell"
	} else if word, _, ok := strings.Cut(message, " ==> "); !ok || strings.ContainsAny(word, " :") {
		return false
	}
	s.Add(Draft{Event: e})
	return true
}
