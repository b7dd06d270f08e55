package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// snippet takes the source lines and carets below a diagnostic. Otherwise a format could mistake source code for the
// output of a tool.
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

// isGutter reports whether a line looks like "   12 | int x;" or "      |     ^".
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

// gutterBelow reads the source lines below a finding. Each of them begins with a gutter.
var gutterBelow = parse.Below{Is: isGutter}.Pattern

// isSourceLine reports whether the line below a diagnostic is its source line. Such a line is indented by the
// compiler, or is code without indentation.
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
