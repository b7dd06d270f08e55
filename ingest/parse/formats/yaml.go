package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// yamlFormat reads errors of libyaml: "(file): problem at line 3 column 5". The YAML parsers of Ruby, Perl, PHP and
// others print them unchanged.
var yamlFormat = parse.Format{
	Name:  "yaml",
	About: "libyaml (Ruby's Psych and others): syntax errors of YAML files",
	Triggers: []string{
		"): found ", "): did not find ", "): could not find ", "): mapping ", "): block sequence ",
		"): control characters ", "): invalid leading ",
	},
	Lines: parse.Lines{
		// The triggers are common words. So a line must also have a message of libyaml and a line number.
		{Text: "({path}): {message} at line {line}{? column {column}}{_}", Category: store.CategoryCompile,
			If: func(d *parse.Draft) bool { return hasAnyPrefix(d.Message, yamlProblems...) }},
	},
}

// yamlProblems are the messages of libyaml.
var yamlProblems = []string{
	"found character that cannot start any token", "did not find expected", "could not find expected",
	"mapping values are not allowed in this context",
	"mapping keys are not allowed in this context", "block sequence entries are not allowed in this context",
	"found undefined tag handle", "found unknown escape character",
	"found unexpected end of stream", "found duplicate", "found unexpected document indicator", "found a tab character",
	"control characters are not allowed", "invalid leading UTF-8 octet", "found undefined alias",
}
