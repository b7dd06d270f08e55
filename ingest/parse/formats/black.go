package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// blackFormat reads black --check, which lists files that it would change or cannot read.
var blackFormat = parse.Format{
	Name:     "black",
	About:    "black --check: Python files that are not formatted",
	Triggers: []string{"error: cannot format ", "error: cannot use --safe"},
	Starts:   []string{"would reformat "},
	Lines: parse.Lines{
		{Text: "would reformat {path}", Message: "would reformat", Code: "format"},
		{Text: "{_}error: cannot format {path}: «Cannot parse: {line}:{column}{_}»", Category: store.CategoryCompile},
		{Text: "{_}error: cannot format {path}: «Cannot parse for target version{_}: {line}:{column}{_}»",
			Category: store.CategoryCompile},
		{Text: "{_}error: cannot format {path}: {message}", Category: store.CategoryCompile},
	},
}
