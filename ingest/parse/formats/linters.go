package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// hadolintFormat reads hadolint's text: "Dockerfile:3 DL3008 warning: Pin versions".
var hadolintFormat = parse.Format{
	Name:     "hadolint",
	About:    "hadolint: rules for Dockerfiles",
	Triggers: []string{" DL1", " DL3", " DL4", " SC1", " SC2"},
	Lines: parse.Lines{
		// hadolint before 2.0 printed no severity
		{Text: "{place} {code:DL####|SC####} {?{severity}: }{?: }{message}", Severity: store.SeverityWarning},
	},
}

// yamllintFormat reads yamllint's formats standard and parsable.
var yamllintFormat = parse.Format{
	Name:  "yamllint",
	About: "yamllint: standard and parsable output",
	Triggers: []string{
		": [error] ", ": [warning] ", ".yml", ".yaml",
		" (anchors)", " (braces)", " (brackets)", " (colons)", " (commas)", " (comments", " (document-", " (empty-",
		" (float-values)", " (hyphens)", " (indentation)",
		" (key-", " (line-length)", " (new-line", " (octal-values)", " (quoted-strings)", " (syntax)", " (trailing-spaces)",
		" (truthy)",
	},
	Lines: parse.Lines{
		{Text: "{place}: [{severity:error|warning}] {message}{? ({code})}"},
	},
	New: func() parse.Matcher { return new(yamllint).match },
}

// yamllint keeps the file whose problems are listed.
type yamllint struct {
	file string
	line int // line of the file name, or of its newest problem
}

var yamllintRow = parse.Lines{{Text: "{line}:{column}{ }{severity}{ }{message}{? ({code})}"}}

// match reads yamllint's format "standard", in which a line with the file precedes the problems of the file:
//
//	a.yml
//	  3:1       error    too many blank lines (5 > 2)  (empty-lines)
func (y *yamllint) match(s *parse.Scan, l parse.Line) bool {
	if text := l.Trim(); strings.HasSuffix(text, ".yml") || strings.HasSuffix(text, ".yaml") {
		if text == l.Text && parse.IsFileName(text) {
			y.file, y.line = text, l.N
		}
		return false
	}
	if y.line != l.N-1 || y.line == 0 || !strings.HasPrefix(l.Text, "  ") {
		return false
	}
	d, ok := yamllintRow.Read(l.Text)
	if ok {
		d.File, y.line = y.file, l.N
		s.Add(d)
	}
	return ok
}
