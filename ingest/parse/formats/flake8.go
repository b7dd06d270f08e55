package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// flake8Format reads "a.py:1:1: F401 message" of flake8 and pycodestyle, and messages of pyflakes, which have no code.
// Any finding makes these tools fail.
func flake8Format() parse.Format {
	return parse.Format{
		Name:     "flake8",
		About:    "flake8, pycodestyle and pyflakes: Python lint",
		Triggers: append(eachDigit(".py:", ""), ".pyi:", ".pyx:", ".ipynb:"), // not "a.py::test" of pytest
		Starts:   []string{"stdin:"},
		Lines: parse.Lines{
			{Text: "{place:.py|.pyi|.pyx|.ipynb}: {code} {message}", If: hasLintCode, Then: gradeFlake8, Below: ruffSource},
			{Text: "{place}: [{code}] {message}", If: hasLintCode, Then: gradeFlake8}, // --format=pylint
			{Text: "{place:.py|.pyi|.pyx|.ipynb}: {message}", If: isPyflakesFinding},
			{Text: "stdin:{line}{?:{column}}: {code} {message}", If: hasLintCode, Then: gradeFlake8, Below: ruffSource},
			{Text: "stdin:{line}{?:{column}}: {message}", If: isPyflakesFinding},
		},
	}
}

func hasLintCode(d *parse.Draft) bool { return isLintCode(d.Code) }

// gradeFlake8 sets the category of a finding whose code means that the file does not compile. It also recognizes
// ruff's findings by their words.
func gradeFlake8(d *parse.Draft) {
	if d.Code == "E999" || d.Code == "E902" {
		d.Category = store.CategoryCompile
	}
	if isRuffMessage(d.Code, d.Message) {
		d.Tool, d.Message = "ruff", trimFixMark(d.Message)
	}
}

// isPyflakesFinding reports whether a finding has the words of pyflakes, which prints no code. It also sets the
// category of syntax errors.
func isPyflakesFinding(d *parse.Draft) bool {
	if d.Message == "invalid syntax" || d.Message == "unexpected indent" {
		d.Category = store.CategoryCompile
	}
	code, _, _ := strings.Cut(d.Message, " ")
	return !isLintCode(code) && isPyflakes(d.Message) && !strings.HasSuffix(d.Message, "% confidence)") // of vulture
}

// isLintCode reports whether s is a code such as F401, SIM102 or C0114.
func isLintCode(s string) bool {
	letters := 0
	for letters < len(s) && 'A' <= s[letters] && s[letters] <= 'Z' {
		letters++
	}
	_, digits := parse.Number(s[letters:])
	return letters > 0 && letters < 7 && digits > 1 && digits < 6 && letters+digits == len(s)
}

// isPyflakes reports whether a message is one of pyflakes, which prints no code.
func isPyflakes(message string) bool {
	for _, part := range [...]string{" imported but unused", "undefined name '", "redefinition of unused '",
		" is assigned to but never used", "unable to detect undefined names", "' may be undefined",
		"f-string is missing placeholders", "import '", "list comprehension redefines '", "local variable '",
		"dictionary key ", "'return' outside function", "invalid syntax", "unexpected indent"} {
		if strings.Contains(message, part) {
			return strings.HasPrefix(message, "'") || !strings.Contains(message, ": ")
		}
	}
	return false
}
