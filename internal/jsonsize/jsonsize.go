// Package jsonsize estimates how much memory a JSON text takes when it is decoded. A short text may take a lot: in a
// list of empty objects, three bytes become a whole struct.
package jsonsize

import "bytes"

// perValue is roughly the max memory in bytes of a decoded value or key, with the spare room of growing lists.
const perValue = 256

// Memory returns roughly how many bytes the values of a JSON text take when they are decoded once.
func Memory(text []byte) int64 { return int64(len(text)) + perValue*int64(Values(text)) }

// Values returns the number of values and keys in a JSON text. It may return a few more. It does not check the text.
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

// begun counts the commas, colons and opening brackets in a text without strings. A value or key
// may follow each of them.
func begun(text []byte) (n int) {
	for _, b := range text {
		switch b {
		case ',', ':', '[', '{':
			n++
		}
	}
	return n
}

// afterString returns the text after the end of a string. It returns nil if the string has no end.
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
