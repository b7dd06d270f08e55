package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// yamlFormat reads the complaints of libyaml, which the YAML parsers of Ruby,
// Perl, PHP and others print as they are: "(file): problem at line 3 column 5".
var yamlFormat = parse.Format{
	Name:     "yaml",
	About:    "libyaml (Ruby's Psych and others): syntax errors of YAML files",
	Triggers: []string{"): found ", "): did not find ", "): could not find ", "): mapping ", "): block sequence ", "): control characters ", "): invalid leading "},
	New:      parse.Stateless(matchYAML),
}

// yamlProblems are what libyaml calls problems.
var yamlProblems = []string{
	"found character that cannot start any token", "did not find expected", "could not find expected", "mapping values are not allowed in this context",
	"mapping keys are not allowed in this context", "block sequence entries are not allowed in this context", "found undefined tag handle", "found unknown escape character",
	"found unexpected end of stream", "found duplicate", "found unexpected document indicator", "found a tab character", "control characters are not allowed", "invalid leading UTF-8 octet", "found undefined alias",
}

func matchYAML(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	file, rest, ok := cutParenthesized(text)
	if !ok {
		return false
	}
	i := strings.LastIndex(rest, " at line ")
	if i < 0 || !hasAnyPrefix(rest, yamlProblems...) {
		return false
	}
	e := store.Event{File: file, Message: rest[:i], Category: store.CategoryCompile}
	var digits int
	e.Line, digits = parse.Number(rest[i+len(" at line "):])
	if after, ok := strings.CutPrefix(rest[i+len(" at line ")+digits:], " column "); ok {
		e.Column, _ = parse.Number(after)
	}
	s.Add(parse.Draft{Event: e})
	return true
}

// cutParenthesized splits "(file): rest".
func cutParenthesized(text string) (inside, rest string, ok bool) {
	if !strings.HasPrefix(text, "(") {
		return "", "", false
	}
	inside, rest, ok = strings.Cut(text[1:], "): ")
	return inside, rest, ok && inside != ""
}
