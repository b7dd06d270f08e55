package store

import (
	"strings"
	"unicode/utf8"
)

// quotePairs holds the pairs of quotation marks that tools put around names. GNU tools use the marks of the user's
// locale: 'x', ‘x’, „x“, «x». The field plain is the corresponding mark in the C locale.
var quotePairs = [...]struct {
	open  string
	close []string
	plain byte
}{
	{"'", []string{"'"}, '\''},
	{`"`, []string{`"`}, '"'},
	{"`", []string{"`", "'", "´"}, '\''},
	{"´", []string{"´"}, '\''},
	{"‘", []string{"’"}, '\''},
	{"’", []string{"’"}, '\''},
	{"‚", []string{"‘", "’"}, '\''},
	{"‛", []string{"’"}, '\''},
	{"“", []string{"”"}, '"'},
	{"”", []string{"”"}, '"'},
	{"„", []string{"“", "”"}, '\''},
	{"«", []string{"»"}, '\''},
	{"»", []string{"«", "»"}, '\''},
	{"‹", []string{"›"}, '\''},
	{"›", []string{"‹"}, '\''},
	{"「", []string{"」"}, '\''},
}

// quotation is a quoted text.
type quotation struct {
	plain   byte   // the same mark in the C locale
	content string // text between the marks, without the blanks that belong to the marks
	len     int    // length of the quotation including the marks
}

// quoteAt returns the quotation that starts at s[i]. It returns false for an apostrophe, which is a mark inside a word,
// and for a mark without a closing mark.
func quoteAt(s string, i int) (quotation, bool) {
	if !mayQuote(s[i]) || i > 0 && isASCIIWord(s[i-1]) {
		return quotation{}, false
	}
	for _, p := range quotePairs {
		rest, ok := strings.CutPrefix(s[i:], p.open)
		if !ok {
			continue
		}
		if n, mark := closing(rest, p.close); mark > 0 {
			content := rest[:n]
			if p.open == "«" || p.open == "»" || p.open == "‹" {
				content = strings.Trim(content, " \u00a0\u202f")
			}
			return quotation{p.plain, content, len(p.open) + n + mark}, true
		}
		return quotation{}, false
	}
	return quotation{}, false
}

// mayQuote reports whether c may be the first byte of a quotation mark.
func mayQuote(c byte) bool { return c >= utf8.RuneSelf || c == '\'' || c == '"' || c == '`' }

// closing returns the position and the length of the closing mark. If there is no closing mark, the length is 0. A mark
// before a letter is an apostrophe and does not close the quotation. If the text begins with two marks, the first of
// them is the quoted text.
func closing(s string, marks []string) (at, mark int) {
	for n := range min(len(s), maxQuoted) {
		if s[n] == '\n' {
			return 0, 0
		}
		for _, m := range marks {
			end := n + len(m)
			if !strings.HasPrefix(s[n:], m) || end < len(s) && isASCIIWord(s[end]) {
				continue
			}
			if n == 0 && strings.HasPrefix(s[end:], m) && (end+len(m) == len(s) || !isASCIIWord(s[end+len(m)])) {
				return end, len(m)
			}
			return n, len(m)
		}
	}
	return 0, 0
}

// maxQuoted is the max length in bytes of a quoted text.
const maxQuoted = 1000

// withCurlyQuotes returns a text in which quoted names have single curly quotes. GNU tools write such quotes in a UTF-8
// locale. Names in double quotes do not change.
func withCurlyQuotes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if q, ok := quoteAt(s, i); ok && q.plain == '\'' {
			b.WriteString("‘" + q.content + "’")
			i += q.len
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// apostrophe reports whether s[i:] is a curly apostrophe between two letters.
func apostrophe(s string, i int) bool {
	const mark = "’"
	return strings.HasPrefix(s[i:], mark) && i > 0 && isASCIIWord(s[i-1]) && i+len(mark) < len(s) &&
		isASCIIWord(s[i+len(mark)])
}

func isASCIIWord(c byte) bool { return c < utf8.RuneSelf && isWord(c) }

// generalize returns a message with placeholders for quoted text, numbers and paths.
func generalize(s string) string { return string(appendGeneral(nil, s)) }

func appendGeneral(b []byte, s string) []byte {
	for i := 0; i < len(s); {
		if mayQuote(s[i]) {
			if q, ok := quoteAt(s, i); ok {
				b = append(b, "'*'"...)
				i += q.len
				continue
			}
		}
		if !isWord(s[i]) && s[i] != '/' {
			b = append(b, s[i])
			i++
			continue
		}
		n, path, number := i, false, false
		for ; n < len(s); n++ {
			c := s[n]
			if !isWord(c) && c != '.' && c != '/' && c != '\\' && c != '-' {
				break
			}
			path = path || c == '/' || c == '\\'
			number = number || c >= '0' && c <= '9'
			if n > i && c >= utf8.RuneSelf && utf8.RuneStart(c) && startsQuote(s[n:]) {
				break
			}
		}
		switch {
		case path:
			b = append(b, "<path>"...)
		case number:
			b = append(b, "<n>"...)
		default:
			b = append(b, s[i:n]...)
		}
		i = n
	}
	return b
}

// quoteBytes holds the first bytes of quotation marks that are not ASCII.
var quoteBytes = func() (first [256]bool) {
	for _, p := range quotePairs[3:] {
		first[p.open[0]], first[p.close[0][0]] = true, true
	}
	return first
}()

// startsQuote reports whether s starts with a quotation mark that is not ASCII.
func startsQuote(s string) bool {
	if s == "" || !quoteBytes[s[0]] {
		return false
	}
	for _, p := range quotePairs[3:] {
		if strings.HasPrefix(s, p.open) || strings.HasPrefix(s, p.close[0]) {
			return true
		}
	}
	return false
}
