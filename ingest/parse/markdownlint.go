package parse

import (
	"github.com/blq-ci/blq/store"
)

// markdownlintFormat reads markdownlint-cli, markdownlint-cli2 and the string
// form of the library's result.
var markdownlintFormat = Format{
	Name:     "markdownlint",
	About:    "markdownlint-cli and markdownlint-cli2",
	Triggers: []string{" MD0"},
	New:      stateless(matchMarkdownlint),
}

var markdownlintFinding = lazyRegexp(`^(.+?): ?(\d+)(?::(\d+))?:? (?:(error|warning) )?(MD\d{3})(/[\w/-]+)? (.+)$`)

func matchMarkdownlint(s *Scan, l Line) bool {
	g := markdownlintFinding().FindStringSubmatch(l.Trim())
	if g == nil || !isFileName(g[1]) {
		return false
	}
	e := store.Event{File: g[1], Code: g[5], Message: g[7], Category: store.CategoryLint}
	e.Line, _ = number(g[2])
	e.Column, _ = number(g[3])
	if g[4] == "warning" {
		e.Severity = store.SeverityWarning
	}
	s.Add(Draft{Event: e})
	return true
}
