package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// msvcFormat reads Microsoft's C and C++ compiler, linker and tools. If MSBuild runs these programs, it adds the
// project in brackets: [D:\a\app.vcxproj].
var msvcFormat = parse.Format{
	Name:  "msvc",
	About: "Microsoft C and C++: cl, link, lib, rc",
	Triggers: []string{
		"error C1", "error C2", "error C3", "error C4", "error C7", "warning C4", "warning C5", "warning C6", "warning C2",
		"error LNK", "warning LNK",
		"Command line error D", "Command line warning D", "error RC",
	},
	Lines: parse.Lines{
		{Text: "{?{#}>}{place}: {?Command line }" + msvcFinding,
			Category: store.CategoryCompile, Then: gradeMSVC, Once: true},
		{Text: "{?{#}>}{path} : {?Command line }" + msvcFinding,
			Category: store.CategoryCompile, Then: gradeMSVC, Once: true},
	},
}

// msvcFinding reads the text after a place, a program or a file: "main.obj : error LNK2019: unresolved external
// symbol …". MSBuild repeats all findings at the end of its output. With -m, MSBuild puts the number of a node before
// each finding.
const msvcFinding = "{severity:fatal error=error|error|warning} {code:C####|LNK####|D####|RC####}{? }: {message}"

func gradeMSVC(d *parse.Draft) {
	d.Key = d.File + "\x00" + positionKey(parse.Place{Line: d.Line, Column: d.Column}) + d.Code + d.Message
	if d.File == "LINK" || !parse.IsFileName(d.File) {
		d.File = ""
	}
	if i := strings.LastIndex(d.Message, " ["); i > 0 && strings.HasSuffix(d.Message, "proj]") {
		d.Message = d.Message[:i]
	}
	if strings.HasPrefix(d.Code, "LNK") {
		d.Category = store.CategoryLink
	}
	// Errors with these codes only repeat others: "3 unresolved externals", "the following warning is treated as an
	// error".
	if d.Code == "LNK1120" || d.Code == "C2220" {
		d.Weight = parse.Repeat
	}
}
