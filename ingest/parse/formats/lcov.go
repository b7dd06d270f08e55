package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// lcovFormat reads LCOV. Since 2.0 it prints the kind of an error.
var lcovFormat = parse.Format{
	Name:     "lcov",
	About:    "LCOV: errors of lcov, geninfo and genhtml",
	Triggers: []string{"lcov: ERROR: ", "geninfo: ERROR: ", "genhtml: ERROR: "},
	Lines: parse.Lines{
		{Text: "{:lcov|geninfo|genhtml}: ERROR: {?({code}) }{message}", Category: store.CategoryBuild},
	},
}
