package redact

import (
	"bytes"
	"strings"
)

// saidWords are words that often follow the name of a command or an option in a sentence.
const saidWords = " to as or and is was in on for with the first failed succeeded option flag command means using " +
	"when if that which "

// isSaid reports whether a line is a sentence or a help text about a command, and the value found is its next word:
// run cargo login to save a token. The value is the end of the line, from the index from on. The parameter before is
// the text before the line. ofOption is true if the value is that of an option.
func isSaid(before, line []byte, from int, ofOption bool) bool {
	v := string(line[from:])
	if isStrong(v) {
		return false
	}
	if strings.Contains(saidWords, " "+v+" ") {
		return true
	}
	if isCommand(before) {
		return false
	}
	before = bytes.TrimRight(thisLine(before), " ")
	return hasTail(line[:from], "  ") || !ofOption && len(before) > 0 && alnum[before[len(before)-1]]
}
