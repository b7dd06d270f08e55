package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
)

// markdownlintFormat reads markdownlint-cli, markdownlint-cli2, and results of the library as text.
var markdownlintFormat = parse.Format{
	Name:     "markdownlint",
	About:    "markdownlint-cli and markdownlint-cli2",
	Triggers: []string{" MD0"},
	Lines: parse.Lines{
		{Text: "{place}: {?{severity} }{code:MD###}{?/{_}} {message}"},
		{Text: "{file}: {line}: {code:MD###}{?/{_}} {message}"}, // printed by the library
	},
}
