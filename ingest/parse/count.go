package parse

import "strings"

// Blanks counts empty lines in a row. Some tools separate findings by more of
// them than the parts of one.
type Blanks int

// Line takes the text of a line, without blanks at its ends. It returns how many
// empty lines stand right before it, and whether it is empty itself.
func (b *Blanks) Line(text string) (before int, empty bool) {
	before = int(*b)
	if text == "" {
		*b++
		return before, true
	}
	*b = 0
	return before, false
}

// Numbering follows a list whose items are numbered: "1) title", "2) title". It
// is the number of the newest item.
type Numbering int

// Next takes the number off a text that starts with the one that comes next.
func (n *Numbering) Next(text string) (title string, ok bool) {
	number, title, ok := CutNumber(text)
	if !ok || number != int(*n)+1 {
		return "", false
	}
	*n++
	return title, true
}

// CutNumber splits "3) title" at the start of text.
func CutNumber(text string) (number int, title string, ok bool) {
	number, length := Number(text)
	if length == 0 {
		return 0, text, false
	}
	title, ok = strings.CutPrefix(text[length:], ") ")
	return number, title, ok
}
