package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
)

// puppetLintFormat reads puppet-lint, with and without the name of the file.
var puppetLintFormat = parse.Format{
	Name:     "puppet-lint",
	About:    "puppet-lint: style of Puppet manifests",
	Triggers: []string{" (check: ", ".pp - "},
	Lines: parse.Lines{
		{Text: "{file:.pp} - {severity}: {message} on line {line}{? (check: {code})}"},
		{Text: "{severity}: {message} on line {line} (check: {code})"},
	},
}
