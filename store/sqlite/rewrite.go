package sqlite

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// rewrite replaces the calls of the relations by names that SQLite knows: blq_load_runs() becomes blq_load_runs. It
// does not change strings, comments and quoted names. It returns an error for more than one statement, for parameters,
// and for unclosed quotes and comments. It also returns an error for statements other than SELECT, WITH and VALUES. So
// EXPLAIN cannot show the names of the views behind the relations.
func rewrite(q string) (string, error) {
	var b strings.Builder
	begun, ended, call := false, false, false
	for i := 0; i < len(q); {
		n, kind := token(q[i:])
		text := q[i : i+n]
		switch {
		case kind == blank:
		case ended:
			return "", store.Next(store.Errorf(store.Invalid, "more than one statement: one SELECT at a time"), anExample())
		case text == ";":
			ended = true
		case !begun && !isSelect(text):
			return "", store.Next(store.Errorf(store.Invalid, "%.40s: only SELECT works", text), anExample())
		case kind == unclosed:
			return "", store.Next(store.Errorf(store.Invalid, "a quote or comment is not closed: %.40s", text), anExample())
		case kind == parameter:
			return "", store.Next(
				store.Errorf(store.Invalid, "%s: parameters have no values here, the statement has to hold them", text),
				anExample())
		case call && text == "(":
			if m := closing(q[i:]); m > 0 {
				b.WriteByte(' ')
				i += m
				call = false
				continue
			}
		}
		if kind != blank {
			begun = true
			call = kind == word && isRelation(text)
		}
		b.WriteString(text)
		i += n
	}
	return b.String(), nil
}

func isSelect(word string) bool {
	return strings.EqualFold(word, "SELECT") || strings.EqualFold(word, "WITH") || strings.EqualFold(word, "VALUES")
}

func isRelation(name string) bool {
	for _, r := range relations() {
		if strings.EqualFold(name, r.name) {
			return true
		}
	}
	return false
}

// closing returns the length of the empty pair of parentheses at the start of s, or 0 if there is none.
func closing(s string) int {
	for i := 1; i < len(s); {
		n, kind := token(s[i:])
		if kind != blank {
			if s[i] == ')' {
				return i + 1
			}
			return 0
		}
		i += n
	}
	return 0
}

type kind int

const (
	blank kind = iota // blanks and comments
	word
	quoted
	unclosed
	parameter
	other
)

// token returns the length and kind of the token at the start of s.
func token(s string) (int, kind) {
	switch c := s[0]; {
	case strings.IndexByte(" \t\r\n\f", c) >= 0:
		return 1, blank
	case strings.HasPrefix(s, "--"):
		if i := strings.IndexByte(s, '\n'); i >= 0 {
			return i + 1, blank
		}
		return len(s), blank
	case strings.HasPrefix(s, "/*"):
		if i := strings.Index(s[2:], "*/"); i >= 0 {
			return i + 4, blank
		}
		return len(s), unclosed
	case c == '\'' || c == '"' || c == '`':
		return quotedToken(s, c)
	case c == '[':
		if i := strings.IndexByte(s, ']'); i > 0 {
			return i + 1, quoted
		}
		return len(s), unclosed
	case c == '?' || strings.IndexByte(":@$#", c) >= 0:
		return 1 + wordLen(s[1:]), parameter
	case wordLen(s) > 0:
		return wordLen(s), word
	}
	return 1, other
}

// quotedToken returns the length and kind of the quoted token at the start of s. The token ends at the first quote that
// is not doubled.
func quotedToken(s string, quote byte) (int, kind) {
	for i := 1; i < len(s); i++ {
		if s[i] != quote {
			continue
		}
		if i+1 < len(s) && s[i+1] == quote {
			i++
			continue
		}
		return i + 1, quoted
	}
	return len(s), unclosed
}

func wordLen(s string) int {
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80) {
			return i
		}
	}
	return len(s)
}
