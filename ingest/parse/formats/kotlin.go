package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// kotlinFormat reads the Kotlin compiler as Gradle prints it: "e: " and "w: "
// lines, with a file URL since 1.8 and "(line, column)" before.
var kotlinFormat = parse.Format{
	Name:     "kotlin",
	About:    "Kotlin compiler: errors and warnings",
	Triggers: []string{".kt:", ".kts:"},
	Starts:   []string{"e: ", "w: "},
	Lines: parse.Lines{
		{Text: kotlinLead + "{place:.kt|.kts|.java}: {?{:error: |warning: }}{message}", Category: store.CategoryCompile,
			Then: trimDriveSlash},
		{Text: kotlinLead + "{file}: ({line}, {column}){?:} {message}", Category: store.CategoryCompile},
		{Text: kotlinLead + "{message}", Category: store.CategoryCompile, If: isKotlinRemark},
		// kotlinc alone. Android lint writes Error.
		{Text: "^{place:.kt|.kts}: {severity:error|warning|info}: {message}", Category: store.CategoryCompile,
			Below: parse.Caret{}.Pattern},
	},
}

// kotlinLead grades the lines of Gradle's plug-ins. Some name the file by an URL.
const kotlinLead = "^{severity:e=error|w=warning}: {?{:[ksp] |[kapt] }}{?file://}"

// trimDriveSlash takes the slash of a file URL off a Windows path: file:///C:/x.
func trimDriveSlash(d *parse.Draft) {
	if len(d.File) > 2 && d.File[0] == '/' && d.File[2] == ':' {
		d.File = d.File[1:]
	}
}

// isKotlinRemark reports whether what has no place is a remark of the compiler
// and not some other program's output.
func isKotlinRemark(d *parse.Draft) bool {
	if hasAnyPrefix(d.Message, "Supertypes of the following", "Daemon compilation failed", "java.lang.", "org.jetbrains.",
		"warnings found and -Werror", "Could not ", "Cannot access") {
		return true
	}
	class, _, ok := cutThrowable(d.Message)
	return ok && strings.Contains(class, ".")
}
