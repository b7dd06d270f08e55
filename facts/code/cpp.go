package code

import "strings"

// scanCPlus reads C++: everything that scanC reads, classes with their methods, and namespaces.
func scanCPlus(src string, scan *Scan) { scanCFamily(src, scan, true) }

// tag reads the part after struct, union, enum or class, and reports whether the declaration has ended. A type
// without a body is part of another declaration.
func (d *cDeclaration) tag(word string) bool {
	p := d.p
	name := ""
	p.advance()
	if word == "enum" && (p.word() == "class" || p.word() == "struct") {
		p.advance()
	}
	for !p.done() {
		switch w := p.word(); {
		case w == "final":
		case w == "alignas" || w == "__attribute__" || w == "__declspec" || w != "" && isCapital(w) && p.peekMark() == '(':
			if p.advance(); p.at('(') {
				p.group()
			}
			continue
		case w != "":
			if name != "" && !isCapital(name) { // the name belongs to a variable or function
				d.words++
				d.last = name
				return false
			}
			name = w
		case p.at('[') && p.peek(0) == '[':
			p.group()
			continue
		case p.at('<') && d.plus:
			p.angles()
			continue
		case p.at(':') && p.peek(0) == ':':
			name += "::"
			p.advance()
			p.advance()
			name += p.word()
		case p.at(':'):
			d.bases()
			d.tagBody(word, name)
			return d.afterTag()
		case p.at('{'):
			d.tagBody(word, name)
			return d.afterTag()
		default:
			d.words++
			d.last = name
			return false
		}
		p.advance()
	}
	return true
}

// bases skips the list of base types of a type.
func (d *cDeclaration) bases() {
	p := d.p
	for !p.done() && !p.at('{') && !p.at(';') && !p.closes() {
		if p.at('<') {
			p.angles()
			continue
		}
		p.pass()
	}
}

func (d *cDeclaration) tagBody(word, name string) {
	p := d.p
	kind := map[string]Kind{"struct": Struct, "union": Struct, "enum": Enum, "class": Class}[word]
	s := -1
	if name != "" {
		s = p.symbol(kind, name, d.line)
	}
	if !p.at('{') {
		return
	}
	if word == "enum" || !d.plus {
		p.group()
	} else {
		short := name[strings.LastIndexByte(name, ':')+1:]
		if short == "" {
			short = " " // matches no function: a type without a name has no constructors
		}
		p.within(strings.ReplaceAll(name, "::", "."), func(p *parser) { p.cDeclarations(short, true) })
	}
	p.ends(s)
}

// afterTag reports whether the declaration ends after the body of its type. If it does not end, names of variables
// follow.
func (d *cDeclaration) afterTag() bool {
	p := d.p
	if p.take(';') {
		return true
	}
	if p.tok.first && p.tok.kind == aWord && d.plus {
		return true
	}
	d.words, d.last, d.name = 1, "", ""
	return false
}

func (d *cDeclaration) namespace() {
	p := d.p
	p.advance()
	name := ""
	for p.tok.kind == aWord || p.at(':') || p.at('[') {
		if p.at('[') {
			p.group()
			continue
		}
		if w := p.word(); w != "" && w != "inline" && !isCapital(w) {
			if name != "" {
				name += "."
			}
			name += w
		}
		p.advance()
	}
	s := -1
	if name != "" && p.at('{') {
		s = p.symbol(Module, strings.ReplaceAll(name, ".", "::"), d.line)
	}
	if !p.at('{') {
		p.javaRest()
		return
	}
	p.within(name, func(p *parser) { p.cDeclarations("", true) })
	p.ends(s)
}

// using reads a declaration of a type such as "using A = B". Other declarations with this keyword define nothing.
func (d *cDeclaration) using() {
	p := d.p
	p.advance()
	name := p.word()
	p.advance()
	if p.at('=') && name != "" {
		s := p.symbol(Type, name, d.line)
		p.javaRest()
		p.ends(s)
		return
	}
	p.javaRest()
}

// operator reads the name of an operator.
func (d *cDeclaration) operator() {
	p := d.p
	if !p.follows(':') {
		d.scope = ""
	}
	from := p.tok.start
	p.advance()
	if p.at('(') {
		p.advance()
		p.advance()
	}
	for n := 0; !p.done() && !p.at('(') && !p.at(';') && n < 50; n++ {
		p.advance()
	}
	d.name = strings.TrimSpace(p.src[from:p.tok.start])
	d.words++
	if p.at('(') {
		p.group()
	}
	d.tail()
}

// typedef reads the names that a typedef gives to a type.
func (d *cDeclaration) typedef() {
	p := d.p
	p.advance()
	name, fixed := "", false
	var names []string
	for !p.done() && !p.closes() && !p.at(';') {
		switch w := p.word(); {
		case w == "struct" || w == "union" || w == "enum" || w == "class" && d.plus:
			if d.tag(w); p.before.kind == aWord && !fixed {
				name = p.src[p.before.start:p.before.end]
			}
			if d.tagEnded() {
				return
			}
			continue
		case p.at('<') && d.plus:
			p.angles()
			continue
		case p.at('('):
			from := p.tok.start
			if p.group(); !fixed {
				if inner := pointerName(p.since(from)); inner != "" {
					name = inner
				}
				fixed = name != "" && p.before.kind == aMark && !notFunction(name)
			}
			continue
		case p.at('['):
			fixed = true
		case p.at(','):
			names = append(names, name)
			name, fixed = "", false
		case w != "" && !fixed && !notFunction(w) && w != "__attribute__":
			name = w
		}
		p.pass()
	}
	p.take(';')
	for _, n := range append(names, name) {
		if n != "" && len(names) < maxNotes {
			p.ends(p.symbol(Type, n, d.line))
		}
	}
}

// tagEnded reports whether the declaration ended with a semicolon right after the body of its type.
func (d *cDeclaration) tagEnded() bool { return d.p.follows(';') }

// pointerName returns the name in (*name) and (X::*name), or "" if the group holds parameters.
func pointerName(group string) string {
	i := strings.IndexAny(group, "*^")
	if i < 0 {
		return ""
	}
	before := group[1:i]
	if strings.ContainsAny(before, "(, ") && !strings.Contains(before, "::") && !isCapital(strings.TrimSpace(before)) {
		return ""
	}
	rest := strings.TrimLeft(group[i+1:], "* \t\n\r")
	n := 0
	for n < len(rest) && isName(rest[n]) {
		n++
	}
	return rest[:n]
}

func isName(c byte) bool {
	return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
}
