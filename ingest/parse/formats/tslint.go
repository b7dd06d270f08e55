package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// tslintFormat reads TSLint's prose, verbose, stylish and msbuild output.
var tslintFormat = parse.Format{
	Name:     "tslint",
	About:    "TSLint: prose, verbose, stylish and msbuild output",
	Starts:   []string{"ERROR: ", "WARNING: "},
	Triggers: []string{".ts:", ".tsx:", ".ts[", ".tsx[", ".ts(", ".tsx("},
	Lines: parse.Lines{
		{Text: "{severity}: {place+column} - {message}", If: isOneWordFile},
		{Text: "{severity}: {?({code}) }{file}[{line}, {column}]: {message}"},
		{Text: "{file:.ts|.tsx}[{line}, {column}]: {message}"}, // before version 5
		{Text: "{file:.ts|.tsx}({line},{column}): {severity} {code}: {message}", If: isCamelCase},
	},
	New: func() parse.Matcher { return new(tslint).match },
}

type tslint struct {
	file string // stylish prints the file first
	line int
}

var tslintRow = parse.Lines{{Text: "{severity}: {line}:{column}{ }{code}{ }{message}"}}

// match reads the stylish output: the file, and then "ERROR: 1:5   rule    message".
func (t *tslint) match(s *parse.Scan, l parse.Line) bool {
	d, ok := tslintRow.Read(l.Text)
	if !ok {
		text := l.Trim()
		if p, ok := jsPlace(text); ok && p.Column > 0 && parse.IsFileName(p.File) && strings.IndexByte(text, ' ') < 0 {
			t.file, t.line = p.File, l.N
		}
		return false
	}
	if t.file == "" || l.N-t.line > 2 {
		return false
	}
	d.File, t.line = t.file, l.N
	s.Add(d)
	return true
}

// isCamelCase reports whether the code begins with a small letter, like TSLint's rule names in its format "msbuild".
// The codes of tsc, which prints the same kind of line, begin with TS.
func isCamelCase(d *parse.Draft) bool { return d.Code[0] >= 'a' && d.Code[0] <= 'z' }

// isOneWordFile reports whether the file name has no blanks. Psalm prints "RULE - a.php", which is not a file name.
func isOneWordFile(d *parse.Draft) bool { return strings.IndexByte(d.File, ' ') < 0 }
