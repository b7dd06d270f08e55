package chunk

import "regexp"

const MaxLine = maxLine

// Needle describes the needle of a pattern.
func Needle(p *regexp.Regexp) string {
	n := needleOf(p)
	switch {
	case n.whole:
		return n.text + " whole"
	case n.fold:
		return n.text + " fold"
	}
	return n.text
}
