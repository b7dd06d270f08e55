// Package jsonsize estimates how much memory a JSON text takes when it is decoded. A short text may take much memory:
// in a list of empty objects, three bytes of text become a whole struct.
package jsonsize

import "bytes"

// perValue is the approximate max memory in bytes of a decoded value or key. It includes the spare room of growing
// lists.
const perValue = 256

// Memory returns the approximate memory in bytes that a JSON text takes when it is decoded once.
func Memory(text []byte) int64 { return int64(len(text)) + perValue*int64(Values(text)) }

// Values returns the number of values and keys in a JSON text. An empty list or object counts as two. Values does not
// check whether the text is valid.
func Values(text []byte) int {
	n := 1
	for {
		end := bytes.IndexByte(text, '"')
		if end < 0 {
			return n + begun(text)
		}
		n += begun(text[:end])
		text = afterString(text[end+1:])
	}
}

// begun counts the commas, colons and opening brackets in a text without strings. A value or key may follow each of
// them.
func begun(text []byte) (n int) {
	for _, b := range text {
		switch b {
		case ',', ':', '[', '{':
			n++
		}
	}
	return n
}

// afterString returns the text after the end of a string. The parameter text begins after the opening quote of the
// string. If the string has no end, afterString returns nil.
func afterString(text []byte) []byte {
	for {
		end := bytes.IndexByte(text, '"')
		if end < 0 {
			return nil
		}
		slashes := end - len(bytes.TrimRight(text[:end], `\`))
		text = text[end+1:]
		if slashes%2 == 0 {
			return text
		}
	}
}
