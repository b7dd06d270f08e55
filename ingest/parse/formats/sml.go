package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// smlFormat reads Standard ML of New Jersey: "a.sml:2.5-2.14 Error: operator and operand don't agree", and exceptions
// that nobody caught.
var smlFormat = parse.Format{
	Name:     "sml",
	About:    "Standard ML of New Jersey: errors and warnings of the compiler and of CM, uncaught exceptions",
	Triggers: []string{".sml:", ".sig:", ".fun:", ".cm:", ": Fatal error -- Uncaught exception "},
	Lines: parse.Lines{
		{Text: "^{file:.sml|.sig|.fun|.cm}:{line}.{column}{?-{#}.{#}} {severity:Error=error|Warning=warning}: {message}",
			Category: store.CategoryCompile, Below: parse.Below{Indent: 2, Join: "\n",
				Parts: parse.MaxMessageLines}.Pattern},
		{Text: "^{_}: Fatal error -- «Uncaught exception {*}» raised at {file}:{line}.{column}-{_}",
			Category: store.CategoryRuntime, Weight: parse.Likely, Then: smlCompilerStopped},
		{Text: "^{_}: Fatal error -- «Uncaught exception {*}»", Category: store.CategoryRuntime, Weight: parse.Likely,
			Then: smlCompilerStopped},
	},
}

// smlCompilerStopped sets the weight Repeat for the exception with which the compiler gives up, because the
// exception only repeats the compiler's errors.
func smlCompilerStopped(d *parse.Draft) {
	if strings.HasPrefix(d.Message, "Uncaught exception Compile ") ||
		strings.HasPrefix(d.Message, "Uncaught exception Error ") {
		d.Weight, d.File, d.Line, d.Column = parse.Repeat, "", 0, 0
	}
}
