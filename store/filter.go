package store

import (
	"slices"
	"strings"
)

// Condition is one condition of a filter: field, operator, values.
type Condition struct {
	Field  string // name of the field in JSON
	Op     Op
	Values []string // one of these values must match; for NotEqual, none of them may match
}

// Op is an operator that compares a field with a value.
type Op string

// These are the operators of a filter's conditions.
const (
	Equal    Op = "="  // the same value; numeric fields are compared as numbers
	NotEqual Op = "!=" // another value, or no value
	Contains Op = "~"  // the text contains the value; case is ignored
)

// ParseFilter parses a filter such as
//
//	severity=error,warning ref_file~test tool_name!=mypy message~"not found"
//
// Blanks separate conditions, and all conditions must hold. Commas separate values, and one value must match. If a
// field and an operator follow a comma, the comma separates two conditions. Double quotes protect spaces, commas and
// operators; inside quotes \" and \\ mean " and \. The characters % and _ are ordinary. Errors have the code Invalid.
func ParseFilter(s string) ([]Condition, error) {
	var list []Condition
	p := filterReader{rest: s}
	for p.skipBlanks(); p.rest != ""; p.skipBlanks() {
		c, err := p.condition()
		if err != nil {
			return nil, Next(Errorf(Invalid, "filter: %v", err),
				NewCall("query", "", "filter", `severity=error,warning ref_file~test tool_name!=mypy message~"not found"`))
		}
		list = append(list, c)
	}
	return list, nil
}

type filterReader struct{ rest string }

func (p *filterReader) skipBlanks() { p.rest = strings.TrimLeft(p.rest, " \t\r\n,") }

func (p *filterReader) condition() (Condition, error) {
	n := 0
	for n < len(p.rest) && (isWord(p.rest[n]) || p.rest[n] == '-') {
		n++
	}
	c := Condition{Field: p.rest[:n]}
	after := p.rest[n:]
	for _, op := range []Op{NotEqual, Equal, Contains} {
		if rest, ok := strings.CutPrefix(after, string(op)); ok {
			c.Op, p.rest = op, rest
			break
		}
	}
	if c.Op == "" {
		return c, Errorf(Invalid, "%q has no operator (=, != or ~)", firstWord(p.rest))
	}
	if _, err := fieldNamed(c.Field); err != nil {
		return c, err
	}
	for {
		v, err := p.value()
		if err != nil {
			return c, err
		}
		c.Values = append(c.Values, v)
		if !strings.HasPrefix(p.rest, ",") || p.nextIsCondition() {
			return c, nil
		}
		p.rest = p.rest[1:]
	}
}

// nextIsCondition reports whether a condition follows the next comma.
func (p *filterReader) nextIsCondition() bool {
	rest := strings.TrimLeft(p.rest[1:], " \t")
	n := 0
	for n < len(rest) && isWord(rest[n]) {
		n++
	}
	return n == 0 || slices.Contains(fieldNames(), rest[:n]) &&
		(strings.HasPrefix(rest[n:], "=") || strings.HasPrefix(rest[n:], "!=") || strings.HasPrefix(rest[n:], "~"))
}

func (p *filterReader) value() (string, error) {
	if !strings.HasPrefix(p.rest, `"`) {
		n := strings.IndexAny(p.rest, " \t\r\n,")
		if n < 0 {
			n = len(p.rest)
		}
		v := p.rest[:n]
		p.rest = p.rest[n:]
		return v, nil
	}
	var b strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '\\' && i+1 < len(p.rest) && (p.rest[i+1] == '"' || p.rest[i+1] == '\\'):
			i++
			b.WriteByte(p.rest[i])
		case c == '"':
			p.rest = p.rest[i+1:]
			return b.String(), nil
		default:
			b.WriteByte(c)
		}
	}
	return "", Errorf(Invalid, "a quote is not closed: %s", p.rest)
}

func firstWord(s string) string {
	if i := strings.IndexAny(s, " \t"); i > 0 {
		return s[:i]
	}
	return s
}
