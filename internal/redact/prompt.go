package redact

import (
	"bytes"
)

// thisLine returns the last line of a text. If the last line continues earlier lines, thisLine returns those lines,
// too.
func thisLine(text []byte) []byte {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == '\n' && !hasTail(bytes.TrimRight(text[:i], "\r"), `\`) {
			return text[i+1:]
		}
	}
	return text
}

// prompts are texts before a command line in a log.
var prompts = []string{"+ ", "++ ", "+++ ", "$ ", "[command]", "##[command]", "Run ", "RUN ", "ENV ", "ARG ", "export ",
	"curl ", "docker ", "env ", "sudo "}

// isCommand reports whether the last line of a text is a command line.
func isCommand(text []byte) bool {
	line := thisLine(text)
	if bytes.IndexByte(line, '\x1b') >= 0 {
		var v view
		v.strip(line, false, true)
		line = v.text
	}
	for m := range margins(line) {
		for _, p := range prompts {
			if hasHead(line[m:], p) {
				return true
			}
		}
	}
	return false
}
