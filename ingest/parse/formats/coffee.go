package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// coffeeFormat reads the CoffeeScript compiler: "a.coffee:8:25: error: message"
// and the source line with a caret.
var coffeeFormat = parse.Format{
	Name:     "coffeescript",
	About:    "CoffeeScript compiler",
	Triggers: []string{".coffee:", ".litcoffee:", "[stdin]:"},
	New: parse.Lines{
		{Text: "{place}: {severity}: {message}", Category: store.CategoryCompile, Below: caretBelow},
	}.New(),
}

// caretBelow takes the caret below the source line, which is for others.
func caretBelow(d *parse.Draft, _ parse.Line) func(parse.Line) parse.Verdict {
	n := 0
	return func(l parse.Line) parse.Verdict {
		n++
		if strings.Trim(l.Text, " ^") == "" && strings.Contains(l.Text, "^") {
			d.Extend(l)
			return parse.Last
		}
		if n > 1 {
			return parse.Done
		}
		return parse.Pass
	}
}
