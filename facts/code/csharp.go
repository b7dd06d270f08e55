package code

import "strings"

var csharpSyntax = syntax{
	line: []string{"//"}, block: [2]string{"/*", "*/"}, directives: true,
	quotes:   []quote{{open: `"`, close: `"`}, {open: "'", close: "'"}},
	specials: "@$\"", special: csharpText,
}

// csharpText reads verbatim, interpolated and raw strings, and names with an @.
func csharpText(l *lexer) reading {
	i, verbatim, inner := l.pos, false, ""
	for i < len(l.src) && i < l.pos+20 && (l.src[i] == '@' || l.src[i] == '$') {
		if l.src[i] == '@' {
			verbatim = true
		} else {
			inner = "{"
		}
		i++
	}
	if i >= len(l.src) || l.src[i] != '"' {
		if l.src[l.pos] == '@' && l.class[l.peek(1)] == letter {
			l.word()
			return name
		}
		return nothing
	}
	n := 0
	for i+n < len(l.src) && l.src[i+n] == '"' {
		n++
	}
	if n >= 3 {
		l.pos = i + n
		l.rawText(l.src[i : i+n])
		return literal
	}
	l.pos = i + 1
	q := quote{close: `"`, raw: verbatim, doubled: verbatim, lines: verbatim, code: inner}
	if inner != "" {
		l.interpolated(&q)
	} else {
		l.quoted(&q)
	}
	return literal
}

// interpolated skips the rest of a string with code in braces. A doubled brace stands for one brace.
func (l *lexer) interpolated(q *quote) {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == '{' && l.peek(1) == '{', c == '"' && q.doubled && l.peek(1) == '"':
			l.pos += 2
		case c == '{':
			l.pos++
			l.code('}')
		case c == '"':
			l.pos++
			return
		case c == '\\' && !q.raw && l.peek(1) != '\n':
			l.pos += 2
		case c == '\n':
			if !q.lines {
				return
			}
			l.passLine()
		default:
			l.pos++
		}
	}
	l.pos = len(l.src)
}

// scanCSharp reads C#: namespaces, types, methods, constructors, operators and delegates. The packages of a file are
// its namespaces.
func scanCSharp(src string, scan *Scan) {
	p := newParser(src, &csharpSyntax, scan)
	for !p.done() {
		p.csharpMembers(true)
		p.advance() // an unmatched closing bracket
	}
}

// csharpMembers reads the declarations of a file, a namespace or a type.
func (p *parser) csharpMembers(outside bool) {
	for !p.done() && !p.closes() {
		switch w := p.word(); {
		case p.at('['):
			p.group()
		case p.at(';'):
			p.advance()
		case outside && w == "namespace":
			p.csharpNamespace()
		case outside && (w == "using" || w == "global" && p.peekWord() == "using"):
			p.csharpUsing()
		default:
			p.csharpMember()
		}
	}
}

func (p *parser) csharpUsing() {
	line := p.tok.line
	p.takeWord("global")
	p.advance()
	p.takeWord("static")
	p.takeWord("unsafe")
	path := p.csharpName()
	if p.take('=') {
		path = p.csharpName()
	}
	if p.at('<') {
		p.angles()
	}
	if p.at(';') {
		p.imports(path, line)
	}
	p.javaRest()
}

// csharpName reads a name such as a.b or alias::a.b. It returns the name with dots only, and without global:: at its
// beginning.
func (p *parser) csharpName() string {
	name := p.qualified(".:")
	return strings.TrimPrefix(strings.ReplaceAll(name, "::", "."), "global.")
}

func (p *parser) csharpNamespace() {
	line := p.tok.line
	p.advance()
	name := p.qualified(".")
	full := name
	if p.parent != "" {
		full = p.parent + "." + name
	}
	if len(p.scan.Packages) < maxImports && len(full) <= maxName {
		p.scan.Packages = append(p.scan.Packages, strings.Clone(full))
	}
	s := p.symbol(Module, name, line)
	if p.at('{') {
		p.within(name, func(p *parser) { p.csharpMembers(true) })
		p.ends(s)
		return
	}
	p.take(';')
	if p.level == 0 && len(name) <= maxName {
		p.parent = strings.Clone(name)
	}
	p.csharpMembers(true)
	p.ends(s)
}

// csharpType returns the kind of type that the current word declares, or "" for other words. In "record class", the
// word class declares the type.
func (p *parser) csharpType() Kind {
	switch p.word() {
	case "class":
		return Class
	case "struct":
		return Struct
	case "interface":
		return Interface
	case "enum":
		return Enum
	case "record":
		switch next := p.peekWord(); next {
		case "class", "struct":
			return ""
		default:
			if next != "" {
				return Class
			}
		}
	}
	return ""
}

// csharpMember reads a type, a method, an operator or a delegate. It skips members that are not symbols.
func (p *parser) csharpMember() {
	line, named, delegate := p.tok.line, "", false
	var previous string
	for !p.done() && !p.closes() {
		if kind := p.csharpType(); kind != "" {
			if previous == "record" {
				kind = Class
			}
			p.csharpClass(kind, line)
			return
		}
		w := p.word()
		switch {
		case w == "operator":
			p.csharpOperator(line)
			return
		case w == "delegate" && p.peekMark() != '*':
			delegate = true
		case p.at('<'):
			p.angles()
			continue
		case p.at('~'):
			named = "~"
			p.advance()
			named += p.word()
			p.advance()
			continue
		case p.at('(') && named != "" && p.calls():
			kind := Method
			if delegate {
				kind = Type
			}
			s := p.symbol(kind, named, line)
			p.group()
			p.csharpBody()
			p.ends(s)
			return
		case p.at('{'): // accessors of a property
			p.group()
			if p.at('=') {
				p.javaRest()
			}
			return
		case p.at('='):
			p.javaRest()
			return
		case p.at(';'):
			return
		case w != "":
			named, previous = w, w
		}
		p.pass()
	}
}

// calls reports whether the parenthesis at the current token opens parameters, and not a tuple type.
func (p *parser) calls() bool {
	switch p.src[p.before.start:p.before.end] {
	case "public", "private", "protected", "internal", "static", "readonly", "virtual", "override", "async", "abstract",
		"sealed", "extern", "unsafe", "new", "partial", "ref", "delegate", "const", "volatile", "required", "event":
		return false
	}
	return p.before.kind == aWord || p.follows('>')
}

func (p *parser) csharpOperator(line int) {
	p.advance()
	from := p.tok.start
	for !p.done() && !p.at('(') && !p.at(';') && !p.at('{') {
		p.advance()
	}
	s := p.symbol(Method, "operator "+strings.TrimSpace(p.src[from:p.tok.start]), line)
	p.pass()
	p.csharpBody()
	p.ends(s)
}

// csharpBody skips the part after parameters: constraints, and a body or an expression.
func (p *parser) csharpBody() {
	for !p.done() && !p.closes() && !p.take(';') {
		braces := p.at('{')
		if p.at('=') {
			p.javaRest()
			return
		}
		p.pass()
		if braces {
			return
		}
	}
}

func (p *parser) csharpClass(kind Kind, line int) {
	p.advance()
	name := strings.Clone(p.word())
	p.advance()
	s := p.symbol(kind, strings.TrimPrefix(name, "@"), line)
	for !p.done() && !p.at('{') && !p.at(';') && !p.closes() {
		if p.at('<') {
			p.angles()
			continue
		}
		p.pass()
	}
	switch {
	case p.at('{') && kind == Enum:
		p.group()
	case p.at('{'):
		p.within(name, func(p *parser) { p.csharpMembers(false) })
	case p.at(';'):
		p.advance()
	}
	p.ends(s)
}
