package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// commitlintFormat reads commitlint: "✖   message [rule]".
var commitlintFormat = parse.Format{
	Name:   "commitlint",
	About:  "commitlint",
	Starts: []string{"✖   ", "⚠   "},
	Match:  matchCommitlint,
}

func matchCommitlint(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	rest, isError := strings.CutPrefix(text, "✖   ")
	if !isError {
		rest = strings.TrimPrefix(text, "⚠   ")
	}
	message, rule := cutParens(rest, '[', ']')
	if rule == "" {
		return false
	}
	e := store.Event{Message: message, Code: rule, Category: store.CategoryLint}
	if !isError {
		e.Severity = store.SeverityWarning
	}
	s.Add(parse.Draft{Event: e})
	return true
}
