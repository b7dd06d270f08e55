package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// simplecovFormat reads SimpleCov, which lets a run of Ruby tests fail if too little code was run.
var simplecovFormat = parse.Format{
	Name:     "simplecov",
	About:    "SimpleCov: a coverage that is too low or has dropped",
	Triggers: []string{"is below the expected minimum ", "overage has dropped by ", "SimpleCov failed with exit "},
	Lines: parse.Lines{
		{Text: "^«{:Line coverage|Branch coverage|Coverage} ({*}) is below the expected minimum {*}»",
			Category: store.CategoryTest, Weight: parse.Likely},
		{Text: "^«{:Line coverage|Branch coverage|Coverage} by file ({*}) is below the expected minimum {*}»",
			Category: store.CategoryTest, Weight: parse.Likely},
		{Text: "^«{:Line coverage|Branch coverage|Coverage} has dropped by {*}»", Category: store.CategoryTest,
			Weight: parse.Likely},
		{Text: "^«SimpleCov failed with exit {*}»", Category: store.CategoryTest, Weight: parse.Repeat},
	},
}
