package parse

import "strings"

// StripEscapes returns text without ANSI and other terminal control sequences.
func StripEscapes(text string) string {
	if strings.IndexByte(text, '\x1b') < 0 {
		return text
	}
	return string(stripEscapes(nil, []byte(text)))
}
