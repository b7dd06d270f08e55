package redact

import (
	"bytes"
	"strings"
)

// Code joins strings: "hun" + "ter2". The scan also joins them, and searches the result, "hunter2".

// joinedShape returns the shape of the text between two strings that code joins.
func joinedShape() *shape {
	list := []string{"\"\n\t\"", "\"\n\t\t", "'\n\t'", "'\n\t\t"}
	list = append(list, "` + ", "` +\n")
	for _, quote := range []string{`"`, `'`} {
		for _, between := range []string{" + ", " +\n", " . ", " .\n", " ..",
			" ||", " & ", " &\n", " <>", " \\\n", "\n  ", " ++", " ~ ", " ~\n", " ^ ", " ^\n"} {
			list = append(list, quote+between)
		}
		for _, between := range []string{"..", "||", "++", "<>"} {
			list = append(list, quote+between+quote)
		}
		for c := '!'; c <= '~'; c++ {
			list = append(list, quote+" "+quote+string(c))
			for _, between := range []string{"+", "."} {
				list = append(list, quote+between+quote+string(c))
			}
		}
		for _, kind := range "bfrulLUN" {
			list = append(list, quote+" "+string(kind)+quote)
		}
	}
	return &shape{name: "joined", joined: true, triggers: list}
}

// joinMarks are the operators between joined strings.
var joinMarks = []string{"++", "+", "..", ".", "||", "& _", "_\n", "&", "<>", "~", "^", "\\"}

// joinLen returns the length of the text between two joined strings, with the closing quote of the first and the
// opening quote of the second. It returns 0 if the strings are not joined. undecided is true if further text is
// needed.
func joinLen(text []byte) (n int, undecided bool) {
	text = text[:min(len(text), maxCharacter)]
	rest := bytes.TrimLeft(text[1:], " \t\r\n")
	for _, mark := range joinMarks {
		if next, ok := bytes.CutPrefix(rest, []byte(mark)); ok {
			rest = bytes.TrimLeft(next, " \t\r\n")
			break
		}
	}
	if len(rest) == 0 {
		return 0, len(text) < maxCharacter
	}
	between := text[1 : len(text)-len(rest)]
	isList := bytes.IndexByte(between, '\n') >= 0 && len(bytes.TrimSpace(between)) == 0 // one string on each line
	if !isList && strings.IndexByte("bfrulLUN@$", rest[0]) >= 0 {                       // a kind of string: f"x"
		if rest = rest[1:]; len(rest) == 0 {
			return 0, len(text) < maxCharacter
		}
	}
	if n = len(text) - len(rest); strings.IndexByte("\"'`", rest[0]) < 0 || n == 1 {
		return 0, false
	}
	return n + 1, false
}

// joinedAt searches joined strings for secrets. text[i] is the closing quote of the first of these strings. joinedAt
// reports whether it needs more text.
func (s *scan) joinedAt(i int) (more bool) {
	if i < s.joined {
		return false
	}
	base := max(0, i-maxWord)
	from := base + bytes.LastIndexByte(s.text[base:i], s.text[i]) + 1
	if from == base {
		return false
	}
	var v view
	for at, end := from, i; ; {
		n, more := joinLen(s.text[end:])
		v.copy(s.text[at:end], at)
		if more && !s.final {
			s.begun = from // 1 + the index of the opening quote
			return true
		}
		if n == 0 || end-from > maxWritten {
			s.joined = end
			break
		}
		at = end + n
		rest := s.text[at:min(len(s.text), at+maxWord)]
		quote := bytes.IndexByte(rest, s.text[at-1])
		if quote < 0 && len(rest) < maxWord && !s.final && bytes.IndexByte(rest, '\n') < 0 {
			s.begun = from // 1 + the index of the opening quote
			return true
		}
		if quote < 0 {
			s.joined = at
			break
		}
		end = at + quote
	}
	if len(v.pieces) > 1 {
		s.searchDump(&v, 0, true)
	}
	return false
}

// holdString returns how many bytes need not be searched again, at most the parameter settled. A string on the last
// line with text may continue, or may be joined to a string in later text. Then the text from the first quote of this
// line on is searched again.
func (s *scan) holdString(settled int) int {
	if s.final || !s.shapes.all {
		return settled
	}
	line := bytes.LastIndexByte(s.text, '\n') + 1
	if len(bytes.TrimSpace(s.text[line:])) == 0 {
		text := bytes.TrimRight(s.text[:line], " \t\r\n")
		before := text
		for _, mark := range joinMarks {
			if rest, ok := bytes.CutSuffix(text, []byte(mark)); ok {
				before = bytes.TrimRight(rest, " ")
				break
			}
		}
		n := len(before)
		if n == 0 || before[n-1] != '"' && before[n-1] != '\'' && before[n-1] != '`' ||
			n == len(text) && !s.isOperand(n) {
			return settled
		}
		line = s.lineAt(n)
	}
	line = max(line, len(s.text)-maxWord)
	quote := bytes.IndexAny(s.text[line:], "\"'`")
	if quote < 0 {
		return settled
	}
	return min(settled, line+quote)
}

// isOperand reports whether the string before text[end] may be joined to a string on the next line without an operator.
// This is so if the string begins its line, or follows = or another character that comes before a value.
func (s *scan) isOperand(end int) bool {
	from := s.lineAt(end)
	open := from + bytes.LastIndexByte(s.text[from:end-1], s.text[end-1])
	if open < from {
		return false
	}
	left := bytes.TrimRight(thisLine(s.before(open)), " \t")
	return len(left) == 0 || strings.IndexByte("=(,:[{+", left[len(left)-1]) >= 0
}
