package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
)

// isortFormat reads isort --check, which lists files with unsorted imports.
var isortFormat = parse.Format{
	Name:     "isort",
	About:    "isort --check: Python files whose imports are not sorted",
	Triggers: []string{" Imports are incorrectly sorted"},
	Lines: parse.Lines{
		{Text: "ERROR: {path} Imports are incorrectly sorted{_}",
			Message: "Imports are incorrectly sorted and/or formatted.", Code: "imports"},
	},
}
