package redact

import (
	"bytes"
)

// thisLine returns the last line of a text. If it is a continuation line, thisLine also returns the lines that it
// continues.
func thisLine(text []byte) []byte {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == '\n' && !hasTail(bytes.TrimRight(text[:i], "\r"), `\`) {
			return text[i+1:]
		}
	}
	return text
}

// maxTail is the max number of bytes that lastText reads. Without the limit, a long line that repeats a name would take
// too much time.
const maxTail = 256

// lastText returns the last words of a text, with the blanks between them. The parameter word is the number of words.
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

// prompts are texts with which a command line in a log may begin: "+ make", "docker run".
var prompts = []string{"+ ", "++ ", "+++ ", "$ ", "[command]", "##[command]", "Run ", "RUN ", "ENV ", "ARG ", "export ",
	"curl ", "docker ", "env ", "sudo "}

// isCommand reports whether the last line of a text looks like a command: it begins with one of the prompts, or has one
// after a log's prefix.
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
