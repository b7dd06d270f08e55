package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// lcovFormat reads LCOV, which names the kind of an error since 2.0.
var lcovFormat = parse.Format{
	Name:     "lcov",
	About:    "LCOV: errors of lcov, geninfo and genhtml",
	Triggers: []string{"lcov: ERROR: ", "geninfo: ERROR: ", "genhtml: ERROR: "},
	Lines: parse.Lines{
		{Text: "{:lcov|geninfo|genhtml}: ERROR: {?({code}) }{message}", Category: store.CategoryBuild},
	},
}
