package yamlfile

import (
	"bytes"
	"strconv"
	"unicode/utf16"
)

// jsonEscapes replaces escapes that JSON has and the YAML library refuses: \/ and pairs of surrogates such as
// \ud83d\ude00. It replaces them only in texts in double quotation marks. The lines of values stay the same.
func jsonEscapes(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for at := 0; at < len(text); {
		end := at + 1
		switch c := text[at]; {
		case c == '#' && (at == 0 || isSpace(text[at-1])): // a comment, which may contain quotation marks
			for end < len(text) && text[end] != '\n' {
				end++
			}
		case c == '\'' && beginsText(text[:at]):
			end = afterQuoted(text, at)
		case c == '"' && beginsText(text[:at]):
			end = afterQuoted(text, at)
			out = appendUnescaped(out, text[at:end])
			at = end
			continue
		}
		out = append(out, text[at:end]...)
		at = end
	}
	return out
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// beginsText reports whether a quotation mark after the given bytes begins a quoted text. In the middle of an unquoted
// text, a quotation mark is an ordinary character.
func beginsText(before []byte) bool {
	before = bytes.TrimRight(before, " \t")
	return len(before) == 0 || bytes.IndexByte([]byte("\n\r:-?,[{"), before[len(before)-1]) >= 0
}

// afterQuoted returns the offset after the quoted text that begins at an offset.
func afterQuoted(text []byte, at int) int {
	quote := text[at]
	for at++; at < len(text); at++ {
		switch text[at] {
		case quote:
			return at + 1
		case '\\':
			if quote == '"' {
				at++
			}
		}
	}
	return len(text)
}

// appendUnescaped appends a quoted text. It replaces the escapes that the library refuses with their characters.
func appendUnescaped(out, quoted []byte) []byte {
	for at := 0; at < len(quoted); {
		if quoted[at] != '\\' || at+1 == len(quoted) {
			out = append(out, quoted[at])
			at++
			continue
		}
		if quoted[at+1] == '/' {
			out = append(out, '/')
			at += 2
			continue
		}
		if r := utf16.DecodeRune(unit(quoted[at:]), unit(quoted[min(at+6, len(quoted)):])); r != '\uFFFD' {
			out = append(out, string(r)...)
			at += 12
			continue
		}
		out = append(out, quoted[at:at+2]...)
		at += 2
	}
	return out
}

// unit returns the UTF-16 code unit of the escape \uXXXX at the beginning of a text, or 0 if there is no such escape.
func unit(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return rune(n)
}
