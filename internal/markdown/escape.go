package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/blq-ci/blq/query"
)

// Text of strangers is only ever shown as code: neither Markdown nor what
// GitHub makes of mentions, issues, commits, addresses and formulas in the
// finished page looks into code. Escaping characters would not do, because
// GitHub looks for those in the text after escapes are resolved.

// Code returns text as inline code of one line, cut where it has more than so
// many bytes. Nothing is "".
func Code(s string, most int) string { return span(clip(oneLine(s), most)) }

// Cell returns text as inline code for a cell of a table, where a bar has to
// be escaped even in code, and must not follow a backslash.
func Cell(s string, most int) string {
	s = clip(oneLine(s), most)
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

// Fence returns lines as a block of code, each cut at so many bytes and
// indented by as many blanks, as within the item of a list. Without lines it is "".
func Fence(lines []string, most, indent int) string {
	if len(lines) == 0 {
		return ""
	}
	blanks := strings.Repeat(" ", indent)
	var text strings.Builder
	for _, l := range lines {
		l = clip(strings.TrimRight(strings.ReplaceAll(query.Clean(l), "\n", " "), " \t"), most)
		text.WriteString(blanks + l + "\n")
	}
	fence := strings.Repeat("`", max(3, longestRun(text.String())+1))
	return blanks + fence + "text\n" + text.String() + blanks + fence + "\n"
}

// span makes inline code of a line: a longer delimiter than any in it, and
// blanks where it begins or ends with one.
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

// oneLine cleans text and makes one line of it, with single blanks.
func oneLine(s string) string { return strings.Join(strings.Fields(query.Clean(s)), " ") }

// clip cuts text to so many bytes, between characters.
func clip(s string, most int) string {
	const mark = "…"
	if len(s) <= most {
		return s
	}
	cut := max(0, most-len(mark))
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strings.TrimRight(s[:cut], " \t") + mark
}
