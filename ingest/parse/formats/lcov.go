package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// lcovFormat reads LCOV and SimpleCov. Since 2.0, LCOV prints the kind of an error. SimpleCov makes a run of Ruby tests
// fail if the coverage is too low or has dropped.
var lcovFormat = parse.Format{
	Name:  "lcov",
	About: "LCOV and SimpleCov: errors, a coverage that is too low",
	Triggers: []string{
		"lcov: ERROR: ", "geninfo: ERROR: ", "genhtml: ERROR: ", "is below the expected minimum ", "overage has dropped by ",
		"SimpleCov failed with exit ",
	},
	Lines: parse.Lines{
		{Text: "{:lcov|geninfo|genhtml}: ERROR: {?({code}) }{message}", Category: store.CategoryBuild},
		{Text: "^«{:Line coverage|Branch coverage|Coverage} ({*}) is below the expected minimum {*}»",
			Tool: "simplecov", Category: store.CategoryTest, Weight: parse.Likely},
		{Text: "^«{:Line coverage|Branch coverage|Coverage} by file ({*}) is below the expected minimum {*}»",
			Tool: "simplecov", Category: store.CategoryTest, Weight: parse.Likely},
		{Text: "^«{:Line coverage|Branch coverage|Coverage} has dropped by {*}»", Tool: "simplecov",
			Category: store.CategoryTest, Weight: parse.Likely},
		{Text: "^«SimpleCov failed with exit {*}»", Tool: "simplecov", Category: store.CategoryTest, Weight: parse.Repeat},
	},
}
