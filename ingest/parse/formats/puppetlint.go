package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// puppetLintFormat reads puppet-lint, with and without the name of the file, and Puppet itself.
var puppetLintFormat = parse.Format{
	Name:     "puppet-lint",
	About:    "puppet-lint: style of Puppet manifests; errors of Puppet itself",
	Triggers: []string{" (check: ", ".pp - ", ".pp, line: ", ".pp)", "Error: /Stage["},
	Lines: parse.Lines{
		{Text: "{file:.pp} - {severity}: {message} on line {line}{? (check: {code})}"},
		{Text: "{severity}: {message} on line {line} (check: {code})"},
		{Text: "^{severity:Error|Warning}: {?/Stage[{_} failed: }{message} (file: {file:.pp}" +
			"{?, line: {line}}{?, column: {column}}){? on node {_}}",
			Tool: "puppet", Category: store.CategoryBuild, Then: keyByMessage, Once: true},
		{Text: "^Error: «/Stage[{_}]/{*} failed: {*}»", Tool: "puppet", Category: store.CategoryBuild},
	},
}

// keyByMessage sets the key of a finding, because Puppet prints the failure of a resource up to three times.
func keyByMessage(d *parse.Draft) { d.Key = d.Message }
