package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// lineLintFormat reads small linters that print one line per finding, with the place first. The text after the place
// identifies the tool.
var lineLintFormat = parse.Format{
	Name: "line-lint",
	About: "cpplint, codespell, misspell, doc8, actionlint, xmllint, protolint, dotenv-linter, haml-lint, slim-lint, " +
		"scss-lint, kubeconform, vulture, flawfinder, checkbashisms, cmake-format, yapf, ajv, " +
		"include-what-you-use, doxygen",
	Triggers: []string{
		"  [build/", "  [legal/", "  [readability/", "  [runtime/", "  [whitespace/", // cpplint
		" ==> ", " is a misspelling of ", ": D00", ".github/workflows/", " error : ", " warning : ", ".proto:", ".env:",
		" [W] ", " [E] ", "failed to load external entity ", " - failed validation: ", " is invalid: ",
		"% confidence)", ":  [", "The full include-list for ", " invalid",
	},
	Starts: []string{"possible bashism in ", "ERROR __main__.py:", "yapf: ", "error: source '"},
	Lines: parse.Lines{
		{Text: "{place}: {message}  [{code}] [{#}]", Tool: "cpplint"},
		{Text: "{place}: «{code} ==> {_}»", Tool: "codespell", Then: nameSpelling},
		{Text: `{place}: «{_}" is a misspelling of "{_}»`, Tool: "misspell", Code: "spelling"},
		{Text: "{place:.rst|.txt}: {code:D00#} {message}", Tool: "doc8"},
		{Text: "{place+column}: {message} [{code}]", Tool: "actionlint", If: isActionlint, Below: sourceBelow},
		{Text: "{file:.yml|.yaml}:{line}:0: {message} [{code}]", Tool: "actionlint", If: isActionlint,
			Below: sourceBelow},
		{Text: "{place}: {?element {_}: }{code:" + xmllintKinds + "} {severity} : {message}", Tool: "xmllint",
			Below: sourceBelow},
		{Text: `^warning: «failed to load external entity "{_}"»`, Tool: "xmllint", Weight: parse.Likely},
		{Text: "[{place+column:.proto}] {message}", Tool: "protolint"},
		{Text: "{file:.env}:{line} {?{code}: }{message}", Tool: "dotenv-linter", Severity: store.SeverityWarning},
		{Text: "{place:.haml} [{severity:E=error|*=warning}] {?{code}: }{message}", Tool: "haml-lint"},
		{Text: "{place:.slim} [{severity:E=error|*=warning}] {?{code}: }{message}", Tool: "slim-lint"},
		{Text: "{place:.scss|.sass|.css} [{severity:E=error|*=warning}] {?{code}: }{message}", Tool: "scss-lint"},
		{Text: "{place:.py}: {message} ({#}% confidence)", Tool: "vulture"},
		{Text: "{place}: [{#}] ({code}) {message}", Tool: "flawfinder", Severity: store.SeverityWarning,
			Below: parse.Below{Indent: 2, Join: " "}.Pattern},
		{Text: "^possible bashism in {path} line {line} ({message}):", Tool: "checkbashisms",
			Below: parse.Below{Lines: 1}.Pattern},
		{Text: "^ERROR __main__.py:{#}: «Check failed»: {path}", Tool: "cmake-format"},
		{Text: "^yapf: {place}: {message}", Tool: "yapf", Category: store.CategoryCompile},
		{Text: "{file:.json|.yaml|.yml|.json5} «invalid»", Tool: "ajv",
			Below: parse.Below{Join: " ", Is: isList}.Pattern},
		{Text: "^The full include-list for {path}:", Message: "#include lines should be added or removed",
			Tool: "include-what-you-use", Severity: store.SeverityWarning},
		{Text: "^error: «source '{_}' is not a readable file or directory»{_}", Tool: "doxygen"},
		{Text: "{file:.yaml|.yml|.json} - failed validation: {message}", Tool: "kubeconform", Then: yamlLine},
		{Text: "{file:.yaml|.yml|.json} - «{_} is invalid: {_}»", Tool: "kubeconform"},
	},
}

// yamlLine reads the line of a syntax error: "yaml: line 4: did not find expected ','".
func yamlLine(d *parse.Draft) {
	if _, at, ok := strings.Cut(d.Message, "yaml: line "); ok {
		d.Line, _ = parse.Number(at)
	}
}

// xmllintKinds are the parts of libxml2 that report errors.
const xmllintKinds = "parser|namespace|validity|Schemas validity|Schemas parser|Relax-NG validity|Relax-NG parser|" +
	"HTML parser|encoding|I/O|XInclude"

// nameSpelling sets the code of a finding of codespell. Until then, the code is the misspelled word.
func nameSpelling(d *parse.Draft) {
	d.Code = "spelling"
}

// isActionlint reports whether a finding is about a workflow.
func isActionlint(d *parse.Draft) bool {
	inWorkflow := strings.Contains(d.File, ".github/workflows/") || strings.Contains(d.File, `.github\workflows\`)
	return inWorkflow && strings.Trim(d.Code, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// sourceBelow reads the source and the caret that actionlint and xmllint print below a finding.
var sourceBelow = parse.Caret{Lines: 4}.Pattern

// isList reports whether a line belongs to a list of JavaScript values, which is printed over several lines.
func isList(text string) bool { return text[0] == ' ' || text[0] == '[' || text[0] == ']' }
