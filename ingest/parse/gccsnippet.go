package parse

import "strings"

// snippet takes the source lines and carets that follow a diagnostic, so that
// no format takes the text of a program for the output of one.
func (c *compiler) snippet(s *Scan, d *Draft) {
	first, gutter := true, false
	s.Block(func(l Line) Verdict {
		switch {
		case isGutter(l.Text):
			gutter = true
		case gutter || strings.TrimSpace(l.Text) == "":
			return Done
		case isCaretLine(l.Text):
		case first && isSourceLine(l.Text):
		default:
			return Done
		}
		first = false
		d.Extend(l)
		return Take
	})
}

// isGutter says whether a line is of the form "   12 | int x;" or "      |     ^".
func isGutter(text string) bool {
	i := 0
	for i < len(text) && (text[i] == ' ' || isDigit(text[i])) {
		i++
	}
	if i+2 < len(text) && text[i] == '+' && text[i+1] == '+' && text[i+2] == '+' { // a fix-it: "  +++ |+#include"
		return true
	}
	return i > 0 && i < len(text) && text[i] == '|' && text[i-1] == ' '
}

// isCaretLine says whether a line only points at the one above it.
func isCaretLine(text string) bool {
	return strings.ContainsAny(text, "^~") && strings.Trim(text, " \t^~|-") == ""
}

// isSourceLine says whether the line after a diagnostic is the source that it
// is about: compilers indent it, or it is code at the margin.
func isSourceLine(text string) bool {
	if _, _, ok := placeAt(text); ok || strings.HasPrefix(text, "In file included") {
		return false
	}
	if text[0] == ' ' || text[0] == '\t' {
		return true
	}
	if word, _, _ := strings.Cut(text, " "); strings.HasSuffix(word, ":") || strings.HasSuffix(text, ":") {
		return false // "cc1plus: …", "make: …"
	}
	if strings.HasPrefix(text, "#include") || strings.HasPrefix(text, "#") && len(text) > 1 && isLower(text[1]) {
		return true
	}
	return strings.IndexByte(";{}(),", text[len(text)-1]) >= 0
}
