package redact

import (
	"bytes"
	"strings"
)

// saidWords are words that often follow the name of a command or an option in a sentence.
const saidWords = " to as or and is was in on for with the first failed succeeded option flag command means using when " +
	"if that which "

// isSaid reports whether a line is a sentence or a help text about a command, and the value found is its next word:
// run cargo login to save a token. ofOption is true if the value is that of an option.
func (p position) isSaid(line []byte, found match, ofOption bool) bool {
	v := string(line[found.from:found.to])
	if isStrong(v) {
		return false
	}
	if strings.Contains(saidWords, " "+v+" ") {
		return true
	}
	if isCommand(p.before) {
		return false
	}
	if hasTail(line[:found.from], "  ") { // in a help text, an explanation follows
		return true
	}
	before := bytes.TrimRight(thisLine(p.before), " ")
	return !ofOption && len(before) > 0 && alnum[before[len(before)-1]]
}
