package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// snippet takes the source lines and carets that follow a diagnostic, so that
// no format takes the text of a program for the output of one.
func (c *compiler) snippet(s *parse.Scan, d *parse.Draft) {
	first, gutter := true, false
	s.Block(func(l parse.Line) parse.Verdict {
		switch {
		case isGutter(l.Text):
			gutter = true
		case gutter || strings.TrimSpace(l.Text) == "":
			return parse.Done
		case parse.IsCaret(l.Text):
		case first && isSourceLine(l.Text):
		default:
			return parse.Done
		}
		first = false
		d.Extend(l)
		return parse.Take
	})
}

// isGutter reports whether a line is of the form "   12 | int x;" or "      |     ^".
func isGutter(text string) bool {
	i := 0
	for i < len(text) && (text[i] == ' ' || parse.IsDigit(text[i])) {
		i++
	}
	if i+2 < len(text) && text[i] == '+' && text[i+1] == '+' && text[i+2] == '+' { // a fix-it: "  +++ |+#include"
		return true
	}
	return i > 0 && i < len(text) && text[i] == '|' && text[i-1] == ' '
}

// gutterBelow is the source below a finding that follows a gutter.
var gutterBelow = parse.Below{Is: isGutter}.Pattern

// isSourceLine reports whether the line after a diagnostic is the source that it
// is about: compilers indent it, or it is code at the margin.
func isSourceLine(text string) bool {
	if _, _, ok := parse.PlaceAt(text); ok || strings.HasPrefix(text, "In file included") {
		return false
	}
	if text[0] == ' ' || text[0] == '\t' {
		return true
	}
	if word, _, _ := strings.Cut(text, " "); strings.HasSuffix(word, ":") || strings.HasSuffix(text, ":") {
		return false // "cc1plus: …", "make: …"
	}
	if strings.HasPrefix(text, "#include") || strings.HasPrefix(text, "#") && len(text) > 1 && parse.IsLower(text[1]) {
		return true
	}
	return strings.IndexByte(";{}(),", text[len(text)-1]) >= 0
}
