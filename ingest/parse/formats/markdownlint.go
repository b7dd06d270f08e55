package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// markdownlintFormat reads markdownlint-cli, markdownlint-cli2 and the string
// form of the library's result.
var markdownlintFormat = parse.Format{
	Name:     "markdownlint",
	About:    "markdownlint-cli and markdownlint-cli2",
	Triggers: []string{" MD0"},
	New:      parse.Stateless(matchMarkdownlint),
}

var markdownlintFinding = parse.LazyRegexp(`^(.+?): ?(\d+)(?::(\d+))?:? (?:(error|warning) )?(MD\d{3})(/[\w/-]+)? (.+)$`)

func matchMarkdownlint(s *parse.Scan, l parse.Line) bool {
	g := markdownlintFinding().FindStringSubmatch(l.Trim())
	if g == nil || !parse.IsFileName(g[1]) {
		return false
	}
	e := store.Event{File: g[1], Code: g[5], Message: g[7], Category: store.CategoryLint}
	e.Line, _ = parse.Number(g[2])
	e.Column, _ = parse.Number(g[3])
	if g[4] == "warning" {
		e.Severity = store.SeverityWarning
	}
	s.Add(parse.Draft{Event: e})
	return true
}
