package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// coffeeFormat reads the CoffeeScript compiler: "a.coffee:8:25: error: message" and the source line with a caret.
var coffeeFormat = parse.Format{
	Name:     "coffeescript",
	About:    "CoffeeScript compiler",
	Triggers: []string{".coffee:", ".litcoffee:", "[stdin]:"},
	Lines: parse.Lines{
		{Text: "{place}: {severity}: {message}", Category: store.CategoryCompile, Below: parse.Caret{Pass: true}.Pattern},
	},
}
