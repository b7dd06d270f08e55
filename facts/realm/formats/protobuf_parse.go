//go:build !job

package formats

import (
	"fmt"
	"slices"
	"strconv"
)

// protoParser reads one file. The grammar is small, and parts that are not compared are skipped. The library for
// this, protocompile, would add 5 MB to the program and 2 ms to the start of every command.
type protoParser struct {
	*protoFiles
	tokens []token
	at     int
}

// errorf returns an error at the line of the next token.
func (p *protoParser) errorf(format string, args ...any) error {
	line := 0
	if len(p.tokens) > 0 {
		line = p.tokens[min(p.at, len(p.tokens)-1)].line
	}
	return fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
}

// peek returns the text of the next token. It returns "" at the end, and for a quoted token.
func (p *protoParser) peek() string {
	if p.at < len(p.tokens) && p.tokens[p.at].kind != quoted {
		return p.tokens[p.at].text
	}
	return ""
}

// take reports whether the next token is one of the given texts. If so, take skips the token.
func (p *protoParser) take(any ...string) bool {
	if p.at < len(p.tokens) && slices.Contains(any, p.peek()) {
		p.at++
		return true
	}
	return false
}

// want skips a required token.
func (p *protoParser) want(text string) error {
	if !p.take(text) {
		return p.errorf("%q is missing", text)
	}
	return nil
}

// word returns the next word.
func (p *protoParser) word() (string, error) {
	if p.at < len(p.tokens) && p.tokens[p.at].kind == word {
		p.at++
		return p.tokens[p.at-1].text, nil
	}
	return "", p.errorf("a name is missing")
}

// path returns a name with dots.
func (p *protoParser) path() (string, error) {
	name := ""
	if p.take(".") {
		name = "."
	}
	for range maxParts {
		part, err := p.word()
		if err != nil {
			return "", err
		}
		name += part
		if !p.take(".") {
			return name, nil
		}
		name += "."
	}
	return "", p.errorf("a name has more than %d parts", maxParts)
}

// integer returns a number. The number may be negative.
func (p *protoParser) integer() (int, error) {
	negative := p.take("-")
	if p.at == len(p.tokens) || p.tokens[p.at].kind != number {
		return 0, p.errorf("a number is missing")
	}
	n, err := strconv.ParseInt(p.tokens[p.at].text, 0, 64)
	if err != nil {
		return 0, p.errorf("%q is not a number", p.tokens[p.at].text)
	}
	p.at++
	if negative {
		n = -n
	}
	return int(n), nil
}

// skip skips the remaining text of a statement, up to its semicolon or the end of its braces.
func (p *protoParser) skip() error {
	depth := 0
	for p.at < len(p.tokens) {
		t := p.tokens[p.at]
		p.at++
		if t.kind == quoted {
			continue
		}
		switch t.text {
		case "{", "[", "(":
			depth++
		case "}", "]", ")":
			if depth--; depth < 0 {
				return p.errorf("%q has no beginning", t.text)
			}
			if depth == 0 && t.text == "}" {
				p.take(";")
				return nil
			}
		case ";":
			if depth == 0 {
				return nil
			}
		}
	}
	return p.errorf("the end of the file is too early")
}

// file reads all declarations of a file.
func (p *protoParser) file() (err error) {
	for p.at < len(p.tokens) && err == nil {
		switch head := p.peek(); head {
		case ";":
			p.at++
		case "syntax", "edition":
			err = p.version(head)
		case "package":
			p.at++
			if p.pkg, err = p.path(); err == nil {
				err = p.want(";")
			}
		case "option":
			p.at++
			err = p.setting(p.options)
		case "import":
			err = p.skip()
		case "message":
			p.at++
			err = p.message(p.pkg, 0)
		case "enum":
			p.at++
			err = p.enum(p.pkg)
		case "service":
			p.at++
			err = p.service()
		case "extend":
			err = p.extend(p.pkg, 0)
		default:
			err = p.errorf("%.40q is not a statement", head)
		}
	}
	return err
}

func (p *protoParser) version(head string) error {
	p.at++
	if err := p.want("="); err != nil {
		return err
	}
	if p.at < len(p.tokens) && p.tokens[p.at].kind == quoted {
		p.syntax = head + " " + p.tokens[p.at].text
		p.at++
	}
	return p.want(";")
}

func inside(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "." + name
}

// message reads a message. The word message has been read.
func (p *protoParser) message(scope string, depth int) error {
	name, err := p.word()
	if err != nil {
		return err
	}
	if depth == maxDepth {
		return p.errorf("messages are in each other more than %d deep", maxDepth)
	}
	m := p.newMessage(inside(scope, name))
	p.messages[m.name] = m
	p.order = append(p.order, m.name)
	if err := p.want("{"); err != nil {
		return err
	}
	if err := p.members(m, "", depth); err != nil {
		return err
	}
	return p.unreserved(m)
}

// unreserved returns an error if a field has a reserved number or name.
func (p *protoParser) unreserved(m *protoMessage) error {
	ranges, names := m.reserved.merged(), set(m.reserved.names)
	for _, n := range m.numbers {
		switch f := m.fields[n]; {
		case covers(ranges, n, n):
			return p.errorf("field '%s.%s' has the reserved number %d", m.name, f.name, n)
		case names[f.name]:
			return p.errorf("field '%s.%s' has a reserved name", m.name, f.name)
		}
	}
	return nil
}

// members reads the content of a message or a oneof, up to the closing brace.
func (p *protoParser) members(m *protoMessage, oneof string, depth int) error {
	for !p.take("}") {
		if err := p.member(m, oneof, depth); err != nil {
			return err
		}
	}
	return nil
}

// isField reports whether the next words are the type and the name of a field. It also accepts the beginning of
// an option or of a group.
func (p *protoParser) isField() bool {
	return p.at+2 < len(p.tokens) && (p.tokens[p.at+2].text == "=" || p.tokens[p.at+1].text == ".")
}

func (p *protoParser) member(m *protoMessage, oneof string, depth int) error {
	head := p.peek()
	if p.isField() && !p.isGroup() && head != "option" {
		return p.field(m, "", oneof, depth)
	}
	switch head {
	case "":
		return p.errorf("%q is missing", "}")
	case ";":
		p.at++
		return nil
	case "message":
		p.at++
		return p.message(m.name, depth+1)
	case "enum":
		p.at++
		return p.enum(m.name)
	case "oneof":
		p.at++
		name, err := p.open()
		if err != nil {
			return err
		}
		return p.members(m, name, depth)
	case "reserved":
		p.at++
		return p.reserve(&m.reserved)
	case "option":
		p.at++
		return p.setting(m.options)
	case "extensions":
		p.at++
		return p.reserve(&m.open)
	case "extend":
		return p.extend(m.name, depth)
	case "map":
		return p.mapping(m)
	case "optional", "required", "repeated":
		p.at++
		return p.field(m, head, oneof, depth)
	}
	return p.field(m, "", oneof, depth)
}

// field reads a field or a group. Its label has been read.
func (p *protoParser) field(m *protoMessage, label, oneof string, depth int) error {
	f := &protoField{label: label, oneof: oneof, scope: m.name}
	var err error
	if p.isGroup() {
		return p.group(m, f, depth)
	}
	if f.typ, err = p.path(); err != nil {
		return err
	}
	return p.rest(m, f)
}

// rest reads the name, number and options of a field.
func (p *protoParser) rest(m *protoMessage, f *protoField) (err error) {
	if f.name, err = p.word(); err != nil {
		return err
	}
	if err = p.want("="); err != nil {
		return err
	}
	if f.number, err = p.integer(); err != nil {
		return err
	}
	if f.options, err = p.brackets(); err != nil {
		return err
	}
	if f.json = f.options["json_name"]; f.json == "" {
		f.json = camel(f.name)
	}
	if err = p.add(m, f); err != nil {
		return err
	}
	return p.want(";")
}

// maxNumber is the max number of a field. Extensions of some messages may have higher numbers.
const maxNumber = 1<<29 - 1

// add adds a field to a message, if its number and name are valid and free.
func (p *protoParser) add(m *protoMessage, f *protoField) error {
	if f.number < 1 || m.extends == "" && (f.number > maxNumber || f.number >= 19000 && f.number <= 19999) {
		return p.errorf("field '%s.%s' cannot have the number %d", m.name, f.name, f.number)
	}
	if other := m.fields[f.number]; other != nil {
		return p.errorf("field '%s.%s' has the number %d of field '%s'", m.name, f.name, f.number, other.name)
	}
	if m.names == nil {
		m.names = map[string]bool{}
	}
	if m.names[f.name] {
		return p.errorf("message '%s' has several fields '%s'", m.name, f.name)
	}
	m.names[f.name] = true
	m.numbers = append(m.numbers, f.number)
	m.fields[f.number] = f
	return nil
}

// mapping reads a map field.
func (p *protoParser) mapping(m *protoMessage) (err error) {
	p.at++
	f := &protoField{label: "map", scope: m.name}
	if err = p.want("<"); err == nil {
		f.key, err = p.path()
	}
	if err == nil {
		p.take(",")
		f.typ, err = p.path()
	}
	if err == nil {
		err = p.want(">")
	}
	if err != nil {
		return err
	}
	return p.rest(m, f)
}

// reserve reads the numbers or names after the keyword reserved or extensions. The parser has already read the keyword.
func (p *protoParser) reserve(r *protoReserved) error {
	for !p.take(";") {
		if p.at == len(p.tokens) {
			return p.errorf("%q is missing", ";")
		}
		t := p.tokens[p.at]
		if t.text == "[" && t.kind == sign {
			if _, err := p.brackets(); err != nil {
				return err
			}
			continue
		}
		if t.kind == quoted || t.kind == word {
			r.names = append(r.names, t.text)
			p.at++
			p.take(",")
			continue
		}
		from, err := p.integer()
		if err != nil {
			return err
		}
		to := from
		if p.take("to") {
			if to = 1<<31 - 1; !p.take("max") {
				if to, err = p.integer(); err != nil {
					return err
				}
			}
		}
		r.ranges = append(r.ranges, [2]int{from, to})
		p.take(",")
	}
	return nil
}
