package formats

import (
	"strconv"

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
		{Text: "^{severity:Error|Warning}: {message} (file: {file:.pp}{?, line: {line}}{?, column: {column}}){? on node {_}}",
			Tool: "puppet", Category: store.CategoryBuild, Then: keyByPlace, Once: true},
		{Text: "^Error: «/Stage[{_}]/{*} failed: {*}»", Tool: "puppet", Category: store.CategoryBuild},
	},
}

// keyByPlace sets the key of a finding to its place, because Puppet prints the failure of a resource up to three times.
func keyByPlace(d *parse.Draft) { d.Key = d.File + ":" + strconv.Itoa(d.Line) }
