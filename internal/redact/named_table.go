package redact

import (
	"bytes"
	"slices"
	"strings"
)

// maxTable is the max number of bytes of a table that are read.
const maxTable = 8 << 10

// separators are the texts between the columns of a table.
var (
	separators = append([]string{",", ";", "\t"}, bars...)
	bars       = []string{"|", "│", "┃"}
)

// readTable reads the values below a name in the first line of a table. The columns are separated as in CSV, or with
// bars as in Markdown. end is the end of the name. readTable reports whether it needs more text.
func (n *named) readTable(end int) (more bool) {
	if strings.EqualFold(n.name, "pass") && !contains(bytes.ToLower(thisLine(n.left)), "user") {
		return false // a column of test results
	}
	head := n.left[bytes.LastIndexByte(n.left, '\n')+1:]
	text := n.text[end:min(len(n.text), end+maxTable)]
	final := n.final || len(text) == maxTable
	line, _ := lineEnd(text)
	separator := tableSeparator(head, text)
	if separator == "" || !n.sure() {
		return false
	}
	if line < 0 {
		return !final && len(text) < maxWord
	}
	rest := bytes.TrimRight(text[:line], "\r")
	if !isTableHead(head, separator) || !isTableHead(rest, separator) {
		return false
	}
	column := bytes.Count(head, []byte(separator))
	columns := column + bytes.Count(rest, []byte(separator)) + 1
	at := line + 1
	if isBar(separator) {
		rule, _, whole := cutAt(text[at:], "\n")
		if !whole && !final && len(rule) < maxWord && mayBeRule(rule) {
			return true
		}
		if !whole || !isRule(rule) || followsSecret(rest, separator) {
			return false
		}
	}
	for row := range bytes.Lines(text[at:]) {
		whole := row[len(row)-1] == '\n'
		if !whole && !final {
			return true
		}
		fields := bytes.Split(bytes.TrimRight(row, "\r\n"), []byte(separator))
		if body := "│"; separator == "┃" && bytes.Contains(row, []byte(body)) { // only the head has heavy bars
			fields = bytes.Split(bytes.TrimRight(row, "\r\n"), []byte(body))
		}
		switch {
		case isBar(separator) && isRule(row):
		case len(fields) != columns && (whole || len(fields) <= column):
			return false
		default:
			from := at
			for _, f := range fields[:column] {
				from += len(f) + len(separator)
			}
			if separator != "\t" || isStrongCell(string(fields[column])) { // PAM's settings have tabs, too
				n.readCell(end+from, fields[column])
			}
		}
		at += len(row)
	}
	return !final
}

func isBar(separator string) bool { return slices.Contains(bars, separator) }

// followsSecret reports whether the cell after a name may be the value of that name, as in a table of names and
// values without a header.
func followsSecret(rest []byte, separator string) bool {
	cells := bytes.Split(rest, []byte(separator))
	return len(cells) > 1 && isStrongCell(string(bytes.Trim(cells[1], cellMarks)))
}

// isRule reports whether a line is a rule between rows of a table.
func isRule(line []byte) bool {
	return mayBeRule(line) && (contains(line, "--") || contains(line, "==") ||
		contains(line, "─") || contains(line, "━"))
}

// mayBeRule reports whether a part of a line may belong to a rule of a table. A rule has only -+=|:, blanks and
// characters beyond ASCII.
func mayBeRule(line []byte) bool {
	for _, c := range line {
		if c < 0x80 && strings.IndexByte("-+=|: \t\r\n", c) < 0 {
			return false
		}
	}
	return true
}

// tableSeparator returns the separator of the table around a name, or "" for none.
func tableSeparator(head, text []byte) string {
	for _, c := range separators {
		marks := "\"'"
		if isBar(c) {
			marks = cellMarks
		}
		behind := bytes.TrimLeft(text[:min(len(text), maxBlanks)], marks)
		before := bytes.TrimRight(head, marks)
		if (len(before) == 0 || hasTail(before, c)) && len(behind) > 0 &&
			(hasHead(behind, c) || (behind[0] == '\n' || behind[0] == '\r') && len(before) > 0) {
			return c
		}
	}
	return ""
}

// isTableHead reports whether all cells in the first line of a table are names.
func isTableHead(text []byte, separator string) bool {
	for _, name := range bytes.Split(text, []byte(separator)) {
		for _, c := range bytes.Trim(name, cellMarks) {
			if !nameBytes[c] && !(strings.IndexByte(" ()", c) >= 0 && isBar(separator)) {
				return false
			}
		}
	}
	return true
}

// cellMarks are characters that may enclose the content of a cell.
const cellMarks = "\"' `*"

// readCell records the value in a table cell if the value looks like a secret. The cell begins at text[from].
func (n *named) readCell(from int, cell []byte) {
	value := bytes.Trim(cell, cellMarks)
	if len(value) == 0 {
		return
	}
	v := string(value)
	if (isStrongCell(v) || isPassword(n.name) && len(v) >= 6) && !isVariable(v) && !isPlaceholder(v) && !isPath(v) &&
		!strings.Contains(v, " ") {
		from += bytes.Index(cell, value)
		n.cells = append(n.cells, span{from, from, from + len(value)})
	}
}

// isStrongCell reports whether the content of a cell has at least 6 bytes, has letters and other characters, and is not
// a name.
func isStrongCell(v string) bool {
	letters, digits, others := count(v)
	return len(v) >= 6 && letters > 0 && digits+others > 0 && !isName(v)
}

// dataSource returns the shape of a user and a password before a database address, in Go's form:
// bob:PASSWORD@tcp(db:3306).
func dataSource() *shape {
	return &shape{name: "data-source", within: sourcePassword, triggers: []string{"@tcp", "@uni"}}
}

// oracleSource returns the shape of a user and a password before the address of an Oracle database:
// scott/PASSWORD@//db:1521.
func oracleSource() *shape {
	s := &shape{name: "oracle-source", within: func(p position) match {
		if p.text[0] != ':' {
			return passwordBefore(p, '/')
		}
		host := bytes.LastIndexByte(p.before, '@') // scott/PASSWORD@db:1521
		if host < 0 || nameLen(p.before[host+1:]) < len(p.before)-host-1 {
			return match{}
		}
		back := len(p.before) - host
		p.before = p.before[:host]
		m := passwordBefore(p, '/')
		m.from, m.to, m.ok = m.from-back, m.to-back, m.ok && isGiven(string(lastWord(p.before)))
		return m
	}, triggers: []string{":152"}}
	for c := range alnum {
		if alnum[c] {
			s.triggers = append(s.triggers, "@//"+string(rune(c)))
		}
	}
	return s
}

func sourcePassword(p position) match {
	ok, more := p.begins("@tcp(", "@unix(")
	if more {
		return match{more: true}
	}
	if !ok {
		return match{}
	}
	return passwordBefore(p, ':')
}

// passwordBefore finds the password that ends at the position p, as in USER:PASSWORD. The separator comes before the
// password.
func passwordBefore(p position, separator byte) match {
	word := lastWord(p.before)
	if i := indexOf(word, "://"); i >= 0 {
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

// lastWord returns the last word of a text, at most maxWord/2 bytes of it. The word begins after white space, a
// quote, an opening parenthesis, = or a comma.
func lastWord(text []byte) []byte {
	text = text[max(0, len(text)-maxWord/2):]
	return text[bytes.LastIndexAny(text, " \t\r\n\"'`(=,")+1:]
}

// maxHost is the max number of bytes of an @ and the host after it. If there are more bytes, holdSource does not wait
// for a database address.
const maxHost = 64

// mayBeKey reports whether a text ends with the hex digits of a Mailchimp key, or with these digits and a part of -us.
func mayBeKey(word []byte) bool {
	word = bytes.TrimRight(word, "-us")
	return len(word) >= hexKey && hexLen(word[len(word)-hexKey:]) == hexKey
}

// holdSource returns how many bytes need not be searched again, at most the parameter settled. It excludes the last
// word of the text in two cases. The word may be a user and a password before a database address:
// bob:PASSWORD@tcp(db:3306). Or it may be the beginning of a key of Mailchimp.
func (s *scan) holdSource(settled int) int {
	if s.final || !s.shapes.all {
		return settled
	}
	word := lastWord(s.text)
	if i := bytes.LastIndexByte(word, '@'); !mayBeKey(word) &&
		(!bytes.ContainsAny(word, ":/") || i >= 0 && len(word)-i > maxHost) {
		return settled
	}
	return min(settled, len(s.text)-len(word))
}
