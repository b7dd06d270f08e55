package code

import "strings"

var swiftSyntax = syntax{
	letters: "", line: []string{"//"}, block: [2]string{"/*", "*/"}, nested: true,
	quotes:   []quote{{open: `"""`, close: `"""`, lines: true, code: `\(`}, {open: `"`, close: `"`, code: `\(`}},
	specials: "#`/", special: swiftSpecial,
}

// swiftSpecial reads raw strings, regular expressions between #/ and /#, and names in backquotes.
func swiftSpecial(l *lexer) reading {
	switch l.src[l.pos] {
	case '`':
		return backquoted(l)
	case '/':
		return nothing
	}
	n := 1
	for l.peek(n) == '#' && n < 20 {
		n++
	}
	hashes := l.src[l.pos : l.pos+n]
	switch {
	case strings.HasPrefix(l.src[l.pos+n:], `"""`):
		l.pos += n + 3
		l.rawText(`"""` + hashes)
		return literal
	case l.peek(n) == '"':
		l.pos += n + 1
		l.quoted(&quote{close: `"` + hashes, raw: true})
		return literal
	case l.peek(n) == '/':
		l.pos += n + 1
		l.rawText("/" + hashes)
		return literal
	}
	return nothing
}

// scanSwift reads Swift: imports, types, protocols, extensions, functions, methods, initializers, deinitializers and
// subscripts.
func scanSwift(src string, scan *Scan) {
	p := newParser(src, &swiftSyntax, scan)
	for !p.done() {
		p.swiftMembers("")
		p.advance() // an unmatched closing bracket
	}
}

// swiftMembers reads the declarations of a file or of a type.
func (p *parser) swiftMembers(class Kind) {
	line, started := 0, false
	for !p.done() && !p.closes() {
		if p.at('@') {
			p.annotationGlued()
			continue
		}
		w := p.word()
		if !started || p.tok.first && !swiftModifier(p.src[p.before.start:p.before.end]) {
			line, started = p.tok.line, true
		}
		if p.follows('.') || !p.swiftDeclaration(w, class, line) {
			p.pass()
		} else {
			started = false
		}
	}
}

// annotationGlued skips an attribute and its arguments. A parenthesis after a space does not belong to the attribute.
func (p *parser) annotationGlued() {
	p.advance()
	p.qualified(".")
	if p.at('(') && p.tok.glued {
		p.group()
	}
}

func swiftModifier(w string) bool {
	switch w {
	case "public", "private", "fileprivate", "internal", "open", "package", "static", "class", "final", "override",
		"required", "convenience", "mutating", "nonmutating", "indirect", "lazy", "weak", "unowned", "optional", "dynamic",
		"prefix", "postfix", "infix", "nonisolated", "isolated", "distributed", "consuming", "borrowing":
		return true
	}
	return false
}

// swiftDeclaration reads a declaration that begins with a word, and reports whether there is such a declaration.
func (p *parser) swiftDeclaration(w string, class Kind, line int) bool {
	functions := Function
	if class != "" {
		functions = Method
	}
	switch w {
	case "import":
		p.swiftImport()
	case "class":
		switch next := p.peekWord(); {
		case next == "func", next == "var", next == "let", next == "subscript", swiftModifier(next):
			return false
		}
		p.swiftType(Class, line)
	case "actor":
		if p.class[p.peekMark()] != letter {
			return false
		}
		p.swiftType(Class, line)
	case "struct":
		p.swiftType(Struct, line)
	case "enum":
		p.swiftType(Enum, line)
	case "protocol":
		p.swiftType(Interface, line)
	case "extension":
		p.swiftType(Extension, line)
	case "func":
		p.advance()
		p.swiftFunction(functions, p.swiftName(), line)
	case "init", "subscript":
		if class == "" || p.peekMark() != '(' && p.peekMark() != '<' && p.peekMark() != '?' && p.peekMark() != '!' {
			return false
		}
		p.advance()
		p.swiftFunction(Method, w, line)
	case "deinit":
		if class == "" || p.peekMark() != '{' {
			return false
		}
		p.advance()
		p.swiftFunction(Method, w, line)
	case "typealias":
		p.advance()
		s := p.symbol(Type, p.name(), line)
		p.advance()
		for !p.done() && !p.closes() && !p.at(';') && (!p.tok.first || p.atAny("=&") || p.follows('=') || p.follows('&')) {
			p.pass()
		}
		p.ends(s)
	case "var", "let":
		p.swiftVariable()
	default:
		return false
	}
	return true
}

// swiftVariable skips the word var or let, and the variable's name. The name may be a keyword.
func (p *parser) swiftVariable() {
	p.advance()
	p.pass()
}

func (p *parser) swiftImport() {
	line := p.tok.line
	p.advance()
	switch p.word() {
	case "struct", "class", "enum", "protocol", "typealias", "func", "let", "var":
		if !p.tok.first && p.class[p.peekMark()] == letter {
			p.advance()
		}
	}
	var b strings.Builder
	for b.Len() <= maxName && (p.tok.kind == aWord && (b.Len() == 0 || p.follows('.')) || p.at('.') && b.Len() > 0) {
		b.WriteString(p.src[p.tok.start:p.tok.end])
		p.advance()
	}
	p.imports(b.String(), line)
}

// swiftName reads the name of a function. The name may be an operator.
func (p *parser) swiftName() string {
	if p.tok.kind == aWord {
		n := p.name()
		p.advance()
		return n
	}
	from := p.tok.start
	for p.tok.kind == aMark && (!p.opens() || from == p.tok.start) && (p.tok.glued || from == p.tok.start) {
		p.advance()
	}
	return p.since(from)
}

func (p *parser) swiftFunction(kind Kind, name string, line int) {
	s := p.symbol(kind, name, line)
	if p.at('?') || p.at('!') {
		p.advance()
	}
	if p.at('<') {
		p.angles()
	}
	if p.at('(') {
		p.group()
	}
	for !p.done() && !p.closes() {
		if p.at('{') {
			p.group()
			break
		}
		if p.at(';') || p.tok.first && !p.swiftContinues() {
			break
		}
		p.pass()
	}
	p.ends(s)
}

// swiftContinues reports whether the line that begins with the current token continues the head of a declaration.
func (p *parser) swiftContinues() bool {
	switch p.word() {
	case "where", "throws", "async", "rethrows":
		return true
	}
	if p.atAny("-:,&<.") {
		return true
	}
	if p.before.kind == aMark {
		return p.atAny("(") || p.follows(',') || p.follows(':') || p.follows('>') && p.src[p.before.start-1] == '-' ||
			p.follows('&') || p.follows('=')
	}
	return p.before.kind == aWord && p.src[p.before.start:p.before.end] == "where"
}

func (p *parser) swiftType(kind Kind, line int) {
	p.advance()
	full := p.qualified(".")
	if full == "" {
		return
	}
	s := p.symbol(kind, full, line)
	for !p.done() && !p.closes() && !p.at('{') && !p.at(';') {
		if p.tok.first && !p.swiftContinues() && !p.at('(') {
			break
		}
		p.pass()
	}
	if p.at('{') {
		p.within(full, func(p *parser) { p.swiftMembers(kind) })
	}
	p.ends(s)
}
