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

// maxTail is the max number of bytes that lastWords reads. Otherwise a long line that repeats a name would take very
// long.
const maxTail = 256

// lastText returns the end of a text, from one of its last words on. Words are counted from the end,
// so 1 means the last word.
func lastText(text []byte, word int) []byte {
	text = bytes.TrimRight(text[max(0, len(text)-maxTail):], " \t\r\n")
	from := len(text)
	for ; word > 0 && from > 0; word-- {
		for from > 0 && text[from-1] <= ' ' {
			from--
		}
		for from > 0 && text[from-1] > ' ' {
			from--
		}
	}
	return text[from:]
}

// lastWords returns the last words of a text, at most limit of them.
func lastWords(text []byte, limit int) [][]byte {
	words := bytes.Fields(lastText(text, limit))
	return words[max(0, len(words)-limit):]
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
