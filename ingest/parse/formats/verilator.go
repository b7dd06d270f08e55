package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// verilatorFormat reads "%Error-CODE: top.v:3:5: message".
var verilatorFormat = parse.Format{
	Name:   "verilator",
	About:  "Verilator: errors and warnings",
	Starts: []string{"%Error", "%Warning"},
	Lines: parse.Lines{
		{Text: "%{severity:Error|Warning}{?-{code}}: {?{place}: }{message}", Category: store.CategoryCompile,
			Then: weighVerilator, Below: verilatorSource},
	},
}

// weighVerilator makes a final line of Verilator a Repeat, because such a line only says that Verilator failed.
func weighVerilator(d *parse.Draft) {
	if d.File == "" && hasAnyPrefix(d.Message, "Exiting due to ", "Command Failed ") {
		d.Weight = parse.Repeat
	}
}

// verilatorSource reads the source, and the link to more information.
var verilatorSource = parse.Below{Is: func(text string) bool {
	return isGutter(text) || strings.HasPrefix(text, "        :") || strings.HasPrefix(strings.TrimSpace(text), "...")
}}.Pattern
