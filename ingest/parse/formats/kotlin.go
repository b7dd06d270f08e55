package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// kotlinFormat reads errors and warnings of the Kotlin compiler. In the output of Gradle, they begin with "e: " or
// "w: ". Since Kotlin 1.8, such a line has a file URL. Older versions print "(line, column)" after the file.
var kotlinFormat = parse.Format{
	Name:     "kotlin",
	About:    "Kotlin compiler: errors and warnings",
	Triggers: []string{".kt:", ".kts:"},
	Starts:   []string{"e: ", "w: "},
	Lines: parse.Lines{
		{Text: kotlinLead + "{place:.kt|.kts|.java}: {?{:error: |warning: }}{message}", Category: store.CategoryCompile},
		{Text: kotlinLead + "{file}: ({line}, {column}){?:} {message}", Category: store.CategoryCompile},
		{Text: kotlinLead + "{message}", Category: store.CategoryCompile, If: isKotlinRemark},
		// kotlinc prints this form without Gradle. Android lint prints "Error" with a capital letter instead.
		{Text: "^{place:.kt|.kts}: {severity:error|warning|info}: {message}", Category: store.CategoryCompile,
			Below: parse.Caret{}.Pattern},
	},
}

// kotlinLead reads the start of lines that Gradle's plug-ins print. Some plug-ins print a file URL.
const kotlinLead = "^{severity:e=error|w=warning}: {?{:[ksp] |[kapt] }}{?file://}"

// isKotlinRemark reports whether a message without a place comes from the compiler, and not from another program.
func isKotlinRemark(d *parse.Draft) bool {
	if hasAnyPrefix(d.Message, "Supertypes of the following", "Daemon compilation failed", "java.lang.", "org.jetbrains.",
		"warnings found and -Werror", "Could not ", "Cannot access") {
		return true
	}
	class, _, ok := cutThrowable(d.Message)
	return ok && strings.Contains(class, ".")
}
