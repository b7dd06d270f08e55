package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// haxeFormat reads the Haxe compiler: "src/Main.hx:3: characters 3-6 : Unknown identifier : x".
var haxeFormat = parse.Format{
	Name:     "haxe",
	About:    "Haxe: errors and warnings",
	Triggers: []string{".hx:", "Type not found : "},
	Lines: parse.Lines{
		{Text: haxePlace + " : Warning : {message}", Category: store.CategoryCompile, Severity: store.SeverityWarning},
		{Text: haxePlace + " : ... {_}", Ignore: true},
		{Text: haxePlace + " : {message}", Category: store.CategoryCompile},
		{Text: "^«Type not found : {_}»", Category: store.CategoryCompile},
	},
}

const haxePlace = "{place:.hx} {:characters|character|lines} {column}{?-{#}}"
