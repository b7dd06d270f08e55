package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/blq-ci/blq/query"
)

// Text from logs, commands and branches is shown only as code. Inside of code, GitHub interprets neither Markdown nor
// mentions, issues, commits, URLs and formulas. Escaping is not enough, because GitHub resolves escapes before it looks
// for mentions and other references.

// Code returns text as inline code on one line. The text is cut to maxBytes bytes. Code returns "" for empty text.
func Code(s string, maxBytes int) string { return span(clip(oneLine(s), maxBytes)) }

// Cell returns text as inline code for a table cell. In a cell, a vertical bar must be escaped even inside of code. If
// the text has a backslash before a bar, Cell adds a blank between them.
func Cell(s string, maxBytes int) string {
	s = clip(oneLine(s), maxBytes)
	if !strings.Contains(s, "|") {
		return span(s)
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '|' {
			if i > 0 && s[i-1] == '\\' {
				b.WriteByte(' ')
			}
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return span(b.String())
}

// Fence returns lines as a code block, or "" if there are no lines. Each line is cut after maxBytes bytes. The block is
// indented by indent spaces, so that it can be part of a list item.
func Fence(lines []string, maxBytes, indent int) string {
	if len(lines) == 0 {
		return ""
	}
	blanks := strings.Repeat(" ", indent)
	var text strings.Builder
	for _, l := range lines {
		l = clip(strings.TrimRight(strings.ReplaceAll(query.Clean(l), "\n", " "), " \t"), maxBytes)
		text.WriteString(blanks + l + "\n")
	}
	fence := strings.Repeat("`", max(3, longestRun(text.String())+1))
	return blanks + fence + "text\n" + text.String() + blanks + fence + "\n"
}

// span returns a line as inline code. The delimiter is longer than any run of backticks in the line. If the line begins
// or ends with a backtick, a space is added on both sides.
func span(s string) string {
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", 1+longestRun(s))
	if s[0] == '`' || s[len(s)-1] == '`' {
		s = " " + s + " "
	}
	return fence + s + fence
}

func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// oneLine returns a text on one line, with single spaces between words and without control characters.
func oneLine(s string) string { return strings.Join(strings.Fields(query.Clean(s)), " ") }

// clip cuts text to maxBytes bytes, between characters.
func clip(s string, maxBytes int) string {
	const mark = "…"
	if len(s) <= maxBytes {
		return s
	}
	cut := max(0, maxBytes-len(mark))
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strings.TrimRight(s[:cut], " \t") + mark
}
