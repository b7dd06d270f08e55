package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ktlintFormat reads ktlint and detekt.
var ktlintFormat = parse.Format{
	Name:     "ktlint",
	About:    "ktlint and detekt: findings in Kotlin",
	Triggers: []string{".kt:", ".kts:", ".kt: Lint error"},
	Lines: parse.Lines{
		{Text: "{place}: Lint error > [{code}] {message}", If: hasNoSlash},       // kotlinter
		{Text: "{code} - {message} at {place}", Tool: "detekt", If: hasJavaName}, // before version 1.20
		{Text: "{place+column:.kt|.kts}: {message} ({code})", If: hasRuleID},
		{Text: "{place+column:.kt|.kts}: {message} [{code}]", Tool: "detekt", If: isDetekt},
	},
}

func hasNoSlash(d *parse.Draft) bool { return strings.IndexByte(d.Code, '/') < 0 }

func hasJavaName(d *parse.Draft) bool { return isJavaName(d.Code) }

func hasRuleID(d *parse.Draft) bool { return isRuleID(d.Code) }

// isDetekt reports whether a finding ends with the name of a rule, and is not an error of the compiler.
func isDetekt(d *parse.Draft) bool {
	return isTrailingRule(d.Code) && !strings.Contains(d.Message, "error:")
}

// isRuleID reports whether s can be a rule of ktlint: standard:no-unused-imports.
func isRuleID(s string) bool {
	switch s {
	case "":
		return false
	case "indent", "filename", "wrapping", "annotation", "kdoc": // rules of one word
		return true
	}
	for i := range len(s) {
		if c := s[i]; !parse.IsLower(c) && c != '-' && c != ':' && c != '_' && !parse.IsDigit(c) {
			return false
		}
	}
	return strings.ContainsAny(s, "-:")
}

// androidLintFormat reads the text output of Android lint, the resource compiler and the manifest merger.
var androidLintFormat = parse.Format{
	Name:     "android",
	About:    "Android lint, resource compiler and manifest merger",
	Triggers: []string{": Error: ", ": Warning: ", "AAPT: error: ", ".xml:"},
	Lines: parse.Lines{
		{Text: "{?ERROR:{ }}{place}: AAPT: {severity}: {message}", Tool: "aapt", Category: store.CategoryCompile},
		{Text: "{?ERROR:{ }}{range}: AAPT: {severity}: {message}", Tool: "aapt", Category: store.CategoryCompile},
		{Text: "{place}: {severity}: {message} [{code}]", Tool: "android-lint", If: hasTrailingRule},
	},
}

func hasTrailingRule(d *parse.Draft) bool { return isTrailingRule(d.Code) }
