package parse

import "strings"

// Blanks counts consecutive empty lines. Some tools print more empty lines between two findings than inside a
// finding.
type Blanks int

// Line takes the text of a line, without blanks at its ends. It returns the number of empty lines directly before the
// line, and whether the line itself is empty.
func (b *Blanks) Line(text string) (before int, empty bool) {
	before = int(*b)
	if text == "" {
		*b++
		return before, true
	}
	*b = 0
	return before, false
}

// Numbering follows a list with numbered items: "1) title", "2) title". Its value is the number of the newest item.
type Numbering int

// Next removes the number from a text that is the next item of the list. ok is false if the text is not the next item.
func (n *Numbering) Next(text string) (title string, ok bool) {
	number, title, ok := CutNumber(text)
	if !ok || number != int(*n)+1 {
		return "", false
	}
	*n++
	return title, true
}

// CutNumber splits a text that starts like "3) title" into the number and the title.
func CutNumber(text string) (number int, title string, ok bool) {
	number, length := Number(text)
	if length == 0 {
		return 0, text, false
	}
	title, ok = strings.CutPrefix(text[length:], ") ")
	return number, title, ok
}
