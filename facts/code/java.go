package code

import "strings"

var javaSyntax = syntax{
	letters: "$", line: []string{"//"}, block: [2]string{"/*", "*/"},
	quotes: []quote{{open: `"""`, close: `"""`, lines: true}, {open: `"`, close: `"`}, {open: "'", close: "'"}},
}

// scanJava reads Java: types, methods and constructors. The path of an import of a whole package ends with *. For an
// import of a static member, Import.Names has the text "static".
func scanJava(src string, scan *Scan) {
	p := newParser(src, &javaSyntax, scan)
	for !p.done() {
		p.javaMembers("")
		p.advance() // an unmatched closing bracket
	}
}

// javaMembers reads the declarations of a file or of the body of a type.
func (p *parser) javaMembers(class string) {
	for !p.done() && !p.closes() {
		switch w := p.word(); {
		case p.at('@') && p.peekWord() != "interface":
			p.annotation()
		case p.at(';'):
			p.advance()
		case w == "package" && class == "":
			p.advance()
			p.scan.Package = p.qualified(".")
		case w == "import" && class == "":
			p.javaImport()
		default:
			p.javaMember(class)
		}
	}
}

// peekWord returns the word after the current token, or "" if there is none.
func (p *parser) peekWord() string {
	i := p.pos
	for i < len(p.src) && (p.class[p.src[i]] == space || p.class[p.src[i]] == newline) {
		i++
	}
	from := i
	for i < len(p.src) && (p.class[p.src[i]] == letter || p.class[p.src[i]] == digit) {
		i++
	}
	return p.src[from:i]
}

// annotation skips an annotation: @a.b(...).
func (p *parser) annotation() {
	p.advance()
	for p.tok.kind == aWord {
		p.advance()
		if !p.at('.') && !p.at(':') {
			break
		}
		p.advance()
	}
	if p.at('(') {
		p.group()
	}
}

func (p *parser) javaImport() {
	line := p.tok.line
	p.advance()
	static := p.takeWord("static")
	path := p.qualified(".*")
	if static {
		p.imports(path, line, "static")
	} else {
		p.imports(path, line)
	}
}

// javaType returns the kind of the type that begins at the current token, or "" if none does.
func (p *parser) javaType() Kind {
	switch p.word() {
	case "class":
		return Class
	case "interface":
		return Interface
	case "enum":
		return Enum
	case "record":
		if p.class[p.peekMark()] == letter {
			return Class
		}
	}
	if p.at('@') {
		return Interface
	}
	return ""
}

// javaMember reads a type, a method, a constructor or a field.
func (p *parser) javaMember(class string) {
	line, name := p.tok.line, ""
	for !p.done() && !p.closes() {
		if kind := p.javaType(); kind != "" && (kind != Interface || !p.at('@') || p.peekWord() == "interface") {
			p.javaClass(kind, line)
			return
		}
		switch {
		case p.at('@'):
			p.annotation()
			continue
		case p.at('<'):
			p.angles()
			continue
		case p.at('=') || p.at(';'):
			p.javaRest()
			return
		case p.at('(') && name != "":
			s := p.symbol(Method, name, line)
			p.group()
			p.javaBody()
			p.ends(s)
			return
		case p.at('{'): // an initializer, or the body of a compact constructor
			s := -1
			if name != "" && name == class {
				s = p.symbol(Method, name, line)
			}
			p.group()
			p.ends(s)
			return
		case p.tok.kind == aWord:
			name = p.word()
		}
		p.pass()
	}
}

// javaBody skips the part after the parameters of a method.
func (p *parser) javaBody() {
	for !p.done() && !p.closes() {
		if p.take(';') {
			return
		}
		braces := p.at('{') && p.before.kind != aMark || p.at('{') && !p.follows('=')
		if p.word() == "default" {
			p.javaRest()
			return
		}
		p.pass()
		if braces {
			return
		}
	}
}

// javaRest skips everything up to a semicolon.
func (p *parser) javaRest() {
	for !p.done() && !p.closes() && !p.take(';') {
		p.pass()
	}
}

func (p *parser) javaClass(kind Kind, line int) {
	if p.take('@') {
		kind = Interface
	}
	p.advance()
	name := strings.Clone(p.word())
	p.advance()
	s := p.symbol(kind, name, line)
	for !p.done() && !p.at('{') && !p.at(';') && !p.closes() {
		switch {
		case p.at('@'):
			p.annotation()
		case p.at('<'):
			p.angles()
		default:
			p.pass()
		}
	}
	if p.at('{') {
		p.within(name, func(p *parser) {
			if kind == Enum {
				p.enumEntries()
			}
			p.javaMembers(name)
		})
	}
	p.ends(s)
}

// enumEntries skips the entries of an enumeration. It also skips the semicolon after the entries, if there is one.
func (p *parser) enumEntries() {
	for !p.done() && !p.closes() && !p.take(';') {
		p.pass()
	}
}
