package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// puppetLintFormat reads puppet-lint, with and without the file's name.
var puppetLintFormat = Format{
	Name:     "puppet-lint",
	About:    "puppet-lint: style of Puppet manifests",
	Triggers: []string{" (check: ", ".pp - "},
	New:      stateless(matchPuppetLint),
}

// matchPuppetLint reads "a.pp - WARNING: message on line 3 (check: rule)".
func matchPuppetLint(s *Scan, l Line) bool {
	file, rest, ok := strings.Cut(l.Trim(), " - ")
	if !ok || !strings.HasSuffix(file, ".pp") {
		file, rest = "", l.Trim()
	}
	severity, message, ok := severityAt(rest)
	i := strings.LastIndex(message, " on line ")
	if !ok || i < 0 {
		return false
	}
	line, n := number(message[i+len(" on line "):])
	code, _ := strings.CutPrefix(message[i+len(" on line ")+n:], " (check: ")
	if n == 0 || file == "" && code == "" {
		return false
	}
	s.Add(Draft{Event: store.Event{Severity: severity, File: file, Line: line, Message: message[:i], Code: strings.TrimSuffix(code, ")"), Category: store.CategoryLint}})
	return true
}
