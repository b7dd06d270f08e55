package main

import (
	"strconv"
	"unicode/utf8"

	"github.com/blq-ci/blq/store"
)

// appendEvent appends the JSON object of an event, as encoding/json writes it without escaping HTML, and a line end.
// encoding/json takes several times as long. This matters for logs with many events.
func appendEvent(b []byte, e *store.Event) []byte {
	b = append(b, `{"severity":`...)
	b = appendString(b, string(e.Severity))
	b = appendText(b, `,"ref_file":`, e.File)
	b = appendNumber(b, `,"ref_line":`, e.Line)
	b = appendNumber(b, `,"ref_column":`, e.Column)
	b = append(b, `,"message":`...)
	b = appendString(b, e.Message)
	b = appendText(b, `,"tool_name":`, e.Tool)
	b = appendText(b, `,"category":`, string(e.Category))
	b = appendText(b, `,"code":`, e.Code)
	b = appendText(b, `,"test_name":`, e.Test)
	b = appendText(b, `,"fingerprint":`, e.Fingerprint)
	b = appendNumber(b, `,"log_line":`, e.LogLine)
	b = appendNumber(b, `,"log_line_end":`, e.LogLineEnd)
	return append(b, '}', '\n')
}

// appendText appends a field, unless its text is empty.
func appendText(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	return appendString(append(b, name...), text)
}

// appendNumber appends a field, unless its number is 0.
func appendNumber(b []byte, name string, n int) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(append(b, name...), int64(n), 10)
}

// appendString appends a JSON string.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for {
		n := 0
		for n < len(s) && isVerbatim[s[n]] {
			n++
		}
		b = append(b, s[:n]...)
		if n == len(s) {
			return append(b, '"')
		}
		b, s = appendEscaped(b, s[n:])
	}
}

// isVerbatim says which ASCII characters appear unchanged in a JSON string. appendEscaped handles all other bytes.
var isVerbatim = func() (is [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		is[c] = c != '"' && c != '\\'
	}
	return is
}()

const hexDigits = "0123456789abcdef"

// appendEscaped appends the first character of s, and returns the rest of s.
func appendEscaped(b []byte, s string) (with []byte, rest string) {
	switch c := s[0]; c {
	case '"', '\\':
		return append(b, '\\', c), s[1:]
	case '\n':
		return append(b, '\\', 'n'), s[1:]
	case '\t':
		return append(b, '\\', 't'), s[1:]
	case '\r':
		return append(b, '\\', 'r'), s[1:]
	case '\b':
		return append(b, '\\', 'b'), s[1:]
	case '\f':
		return append(b, '\\', 'f'), s[1:]
	default:
		if c < ' ' {
			return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15]), s[1:]
		}
	}
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && n == 1:
		return append(b, `\ufffd`...), s[n:]
	case r == '\u2028' || r == '\u2029': // JavaScript takes these characters as line ends
		return append(b, '\\', 'u', '2', '0', '2', hexDigits[r&15]), s[n:]
	}
	return append(b, s[:n]...), s[n:]
}
