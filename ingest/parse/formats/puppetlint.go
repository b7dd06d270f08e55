package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// puppetLintFormat reads puppet-lint, with and without the file's name.
var puppetLintFormat = parse.Format{
	Name:     "puppet-lint",
	About:    "puppet-lint: style of Puppet manifests",
	Triggers: []string{" (check: ", ".pp - "},
	New:      parse.Stateless(matchPuppetLint),
}

// matchPuppetLint reads "a.pp - WARNING: message on line 3 (check: rule)".
func matchPuppetLint(s *parse.Scan, l parse.Line) bool {
	file, rest, ok := strings.Cut(l.Trim(), " - ")
	if !ok || !strings.HasSuffix(file, ".pp") {
		file, rest = "", l.Trim()
	}
	severity, message, ok := parse.SeverityAt(rest)
	i := strings.LastIndex(message, " on line ")
	if !ok || i < 0 {
		return false
	}
	line, n := parse.Number(message[i+len(" on line "):])
	code, _ := strings.CutPrefix(message[i+len(" on line ")+n:], " (check: ")
	if n == 0 || file == "" && code == "" {
		return false
	}
	s.Add(parse.Draft{Event: store.Event{Severity: severity, File: file, Line: line, Message: message[:i], Code: strings.TrimSuffix(code, ")"), Category: store.CategoryLint}})
	return true
}
