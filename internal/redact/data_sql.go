package redact

import (
	"bytes"
	"strings"
)

// insertShape returns the shape of an INSERT statement.
func insertShape() *shape {
	return &shape{name: "insert", within: insertedValues, triggers: []string{"INSE", "Inse", "inse"}}
}

// identifiedShape returns the shape of a password in a statement about a user: IDENTIFIED BY 'VALUE'. In lower case,
// the words also occur in sentences. Then a word such as create or user must be before them on the same line.
func identifiedShape() *shape {
	s := compileShape("sql", `(?i:identified)[ ](?i:by)[ ]["']([^"'\s]{3,200})["']`)
	s.within = func(p position) match {
		left := thisLine(p.before)
		left = bytes.ToLower(left[max(0, len(left)-maxTail):])
		for _, word := range []string{"user ", "grant ", "role ", "login ", "alter ", "create "} {
			if bytes.Contains(left, []byte(word)) || hasHead(p.text, "IDEN") {
				return s.match(p.text, ' ', p.final)
			}
		}
		return match{}
	}
	return s
}

// maxStatement is the max number of bytes of a statement that are read.
const maxStatement = 8 << 10

// insertedValues finds the secrets in INSERT INTO t (name, password) VALUES ('bob', 'VALUE').
func insertedValues(p position) match {
	const head = "insert into "
	text := p.text[:min(len(p.text), maxStatement)]
	final := p.final || len(text) == maxStatement
	if n := min(len(text), len(head)); !strings.EqualFold(string(text[:n]), head[:n]) {
		return match{}
	}
	columns, at := listOfSQL(text, bytes.IndexByte(text[:min(len(text), maxWord/4)], '('))
	if at == 0 {
		return match{more: !final && len(text) < maxWord}
	}
	secret := secretColumns(text, columns)
	if len(secret) == 0 {
		return match{}
	}
	const values = "values"
	next := trimLeft(text[at:])
	if len(next) < len(values) || !strings.EqualFold(string(next[:len(values)]), values) {
		return match{more: !final && len(next) < len(values)}
	}
	var found match
	for at = len(text) - len(next) + len(values); ; {
		at = len(text) - len(bytes.TrimLeft(text[at:], " \t\r\n,"))
		if at == len(text) || text[at] != '(' {
			found.more = at == len(text) && !final
			return found
		}
		row, end := listOfSQL(text, at)
		if end == 0 {
			found.more = !final
			return found
		}
		found.addAll(cellsOf(text, row, secret))
		at = end
	}
}

// listOfSQL returns the items of the list in parentheses at a position, and the end of the list. The end is 0 if the
// list is not closed.
func listOfSQL(text []byte, at int) (items []span, end int) {
	if at < 0 {
		return nil, 0
	}
	from := at + 1
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '\'', '"', '`':
			close := bytes.IndexByte(text[i+1:], text[i])
			if close < 0 {
				return nil, 0
			}
			i += 1 + close
		case ',', ')', ']':
			items = append(items, span{from, from, i})
			from = i + 1
			if text[i] != ',' {
				return items, i + 1
			}
		}
	}
	return nil, 0
}

// secretColumns returns the indexes of the columns whose names are used only for secrets.
func secretColumns(text []byte, columns []span) (list []int) {
	for i, c := range columns {
		if isSureName(string(bytes.Trim(text[c.from:c.to], " \t\r\n\"'`"))) {
			list = append(list, i)
		}
	}
	return list
}

// isSureName reports whether a name is used only for secrets.
func isSureName(name string) bool {
	return name != "" && len(name) < maxWord/4 && isSecretName([]byte(name)) && (&named{name: name}).sure()
}

// cellsOf returns the cells of a row that may be secrets. The parameter numbers holds the indexes of the cells to
// examine.
func cellsOf(text []byte, row []span, numbers []int) (list []span) {
	for _, i := range numbers {
		if i >= len(row) {
			continue
		}
		cell := text[row[i].from:row[i].to]
		value := bytes.Trim(cell, " \t\r\n\"'`")
		v := string(value)
		if isGiven(v) {
			from := row[i].from + bytes.Index(cell, value)
			list = append(list, span{from, from, from + len(v)})
		}
	}
	return list
}
