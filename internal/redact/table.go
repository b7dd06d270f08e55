package redact

import (
	"bytes"
	"strings"
)

// maxTable is the max length in bytes of a table that is read for the values below a name.
const maxTable = 8 << 10

// readTable reads the values below a name in the first line of a table with separators, such as CSV. end is the end of
// the name.
func (n *named) readTable(end int) (more bool) {
	head := n.left[bytes.LastIndexByte(n.left, '\n')+1:]
	text := n.text[end:min(len(n.text), end+maxTable)]
	final := n.final || len(text) == maxTable
	line, _ := lineEnd(text)
	separator := tableSeparator(head, text)
	if separator == 0 || !n.sure() {
		return false
	}
	if line < 0 {
		return !final && len(text) < maxWord
	}
	rest := bytes.TrimRight(text[:line], "\r")
	columns := bytes.Count(head, []byte{separator}) + bytes.Count(rest, []byte{separator}) + 1
	if !isTableHead(head, separator) || !isTableHead(rest, separator) {
		return false
	}
	column := bytes.Count(head, []byte{separator})
	at := line + 1
	for row := range bytes.Lines(text[at:]) {
		if row[len(row)-1] != '\n' && !final {
			return true
		}
		fields := bytes.Split(bytes.TrimRight(row, "\r\n"), []byte{separator})
		if len(fields) != columns {
			return false
		}
		from := at
		for _, f := range fields[:column] {
			from += len(f) + 1
		}
		n.readCell(end+from, fields[column])
		at += len(row)
	}
	return !final
}

// tableSeparator returns what is between the columns of a table around a name, 0 for none.
func tableSeparator(head, text []byte) byte {
	behind := bytes.TrimLeft(text[:min(len(text), 2)], "\"'")
	before := bytes.TrimRight(head, "\"'")
	for _, c := range []byte(",;\t") {
		if (len(before) == 0 || before[len(before)-1] == c) && len(behind) > 0 &&
			(behind[0] == c || (behind[0] == '\n' || behind[0] == '\r') && len(before) > 0) {
			return c
		}
	}
	return 0
}

// isTableHead reports whether all cells in the first line of a table are names.
func isTableHead(text []byte, separator byte) bool {
	for _, name := range bytes.Split(text, []byte{separator}) {
		for _, c := range bytes.Trim(name, "\"'") {
			if !nameBytes[c] {
				return false
			}
		}
	}
	return true
}

// readCell notes the value in a cell of a table, if it is a secret.
func (n *named) readCell(from int, cell []byte) {
	value := bytes.Trim(cell, "\"' ")
	if len(value) == 0 {
		return
	}
	v := string(value)
	letters, digits, others := count(v)
	strong := len(v) >= 6 && letters > 0 && digits+others > 0 && !isName(v)
	if (strong || isPassword(n.name) && len(v) >= 6) && !isVariable(v) && !isPlaceholder(v) && !isPath(v) &&
		!strings.Contains(v, " ") {
		from += bytes.Index(cell, value)
		n.cells = append(n.cells, span{from, from, from + len(value)})
	}
}

// dataSource returns the shape of a user and a password before the address of a database, as Go has them:
// bob:PASSWORD@tcp(db:3306).
func dataSource() *shape {
	return &shape{name: "data-source", within: sourcePassword, triggers: []string{"@tcp", "@uni"}}
}

// oracleSource returns the shape of a user and a password before the address of a database of Oracle:
// scott/PASSWORD@//db:1521.
func oracleSource() *shape {
	s := &shape{name: "oracle-source", within: func(p place) match { return passwordBefore(p, '/') }}
	for c := range alnum {
		if alnum[c] {
			s.triggers = append(s.triggers, "@//"+string(rune(c)))
		}
	}
	return s
}

func sourcePassword(p place) match {
	ok, more := p.begins("@tcp(", "@unix(")
	if more {
		return match{more: true}
	}
	if !ok {
		return match{}
	}
	return passwordBefore(p, ':')
}

// passwordBefore finds the password in what stands before a text: USER:PASSWORD.
func passwordBefore(p place, separator byte) match {
	word := lastWord(p.before)
	if i := bytes.Index(word, []byte("://")); i >= 0 {
		word = word[i+len("://"):]
	}
	colon := bytes.IndexByte(word, separator)
	if colon <= 0 {
		return match{}
	}
	v := string(word[colon+1:])
	if len(v) < 3 || isVariable(v) || isPlaceholder(v) {
		return match{}
	}
	return match{from: -len(v), to: 0, ok: true}
}

// lastWord returns the last word of a text, without spaces and quotes.
func lastWord(text []byte) []byte {
	text = text[max(0, len(text)-maxWord/2):]
	return text[bytes.LastIndexAny(text, " \t\r\n\"'`(=,")+1:]
}

// holdSource returns how many bytes are settled if the text may end with a user and a password.
func (s *scan) holdSource(settled int) int {
	if s.final || s.shapes == commandShapes() {
		return settled
	}
	word := lastWord(s.text)
	if i := bytes.LastIndexByte(word, '@'); !bytes.ContainsAny(word, ":/") || i >= 0 && len(word)-i > len("@unix(") {
		return settled
	}
	return min(settled, len(s.text)-len(word))
}
