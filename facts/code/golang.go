package code

import "strings"

var goSyntax = syntax{
	line: []string{"//"}, block: [2]string{"/*", "*/"},
	quotes: []quote{{open: `"`, close: `"`}, {open: "`", close: "`", raw: true, lines: true}, {open: "'", close: "'"}},
}

// scanGo reads a Go file: the package name, the imports, and the functions, methods, types, constants and variables.
func scanGo(src string, scan *Scan) {
	p := newParser(src, &goSyntax, scan)
	for !p.done() {
		switch w := p.word(); w {
		case "package":
			p.advance()
			scan.Package = strings.Clone(p.word())
		case "import":
			p.goGroup(p.goImport)
			continue
		case "func":
			p.goFunc()
			continue
		case "type":
			p.goGroup(p.goType)
			continue
		case "const":
			p.goGroup(func() { p.goNames(Const) })
			continue
		case "var":
			p.goGroup(func() { p.goNames(Var) })
			continue
		}
		p.pass()
	}
}

// goGroup reads the specification after a keyword, or all specifications in parentheses.
func (p *parser) goGroup(spec func()) {
	p.advance()
	if !p.take('(') {
		spec()
		return
	}
	for !p.done() && !p.take(')') {
		if before := p.tok.start; !p.take(';') {
			if spec(); p.tok.start == before {
				p.advance()
			}
		}
	}
}

// goEnded reports whether a statement ends before the current token. This is so if the token is a semicolon, a closing
// parenthesis or a closing brace, or if Go inserts a semicolon before the token.
func (p *parser) goEnded() bool {
	if p.done() || p.at(';') || p.at(')') || p.at('}') {
		return true
	}
	if !p.tok.first {
		return false
	}
	if p.before.kind == aMark {
		return p.closesBefore()
	}
	return true
}

func (p *parser) closesBefore() bool { return p.follows(')') || p.follows(']') || p.follows('}') }

func (p *parser) goImport() {
	line := p.tok.line
	if p.tok.kind == aWord || p.at('.') {
		p.advance()
	}
	if path, ok := p.value(); ok {
		p.imports(path, line)
	}
	p.goRest()
}

// goRest skips the remaining tokens of a specification.
func (p *parser) goRest() {
	for first := true; first || !p.goEnded(); first = false {
		if p.done() || p.closes() || p.at(';') {
			return
		}
		p.pass()
	}
}

func (p *parser) goFunc() {
	line := p.tok.line
	p.advance()
	kind, receiver := Function, ""
	if p.at('(') {
		kind, receiver = Method, p.goReceiver()
	}
	name := p.word()
	if name == "" {
		return
	}
	p.advance()
	parent := p.parent
	p.parent = receiver
	s := -1
	if name != "_" {
		s = p.symbol(kind, name, line)
	}
	p.parent = parent
	for !p.goEnded() {
		if w := p.word(); (w == "interface" || w == "struct") && p.peekMark() == '{' {
			p.advance()
			p.group()
			continue
		}
		if p.at('{') {
			p.group()
			break
		}
		p.pass()
	}
	p.ends(s)
}

// peekMark returns the next byte after the current token that is neither a space nor a line end, or 0 at the end of
// the text.
func (p *parser) peekMark() byte {
	for i := p.pos; i < len(p.src); i++ {
		if c := p.class[p.src[i]]; c != space && c != newline {
			return p.src[i]
		}
	}
	return 0
}

// goReceiver skips a receiver and returns the name of its type.
func (p *parser) goReceiver() string {
	name := ""
	for p.advance(); !p.done() && !p.take(')'); {
		if w := p.word(); w != "" {
			name = w
		}
		p.pass()
	}
	return strings.Clone(name)
}

func (p *parser) goType() {
	name, line := p.word(), p.tok.line
	if name == "" {
		p.advance()
		return
	}
	p.advance()
	if p.at('[') && p.goParameters() {
		p.group()
	}
	alias := p.take('=')
	kind := Type
	switch w := p.word(); {
	case alias:
	case w == "struct":
		kind = Struct
	case w == "interface":
		kind = Interface
	}
	if name == "_" {
		p.goRest()
		return
	}
	s := p.symbol(kind, name, line)
	p.goRest()
	p.ends(s)
}

// goParameters reports whether the bracket at the current token opens type parameters. Brackets of a slice type are
// empty, and those of an array type usually begin with a digit.
func (p *parser) goParameters() bool {
	return p.peekMark() != ']' && !(p.class[p.peekMark()] == digit)
}

func (p *parser) goNames(kind Kind) {
	var names []string
	var lines []int
	for p.tok.kind == aWord {
		names, lines = append(names, p.word()), append(lines, p.tok.line)
		if p.advance(); !p.take(',') {
			break
		}
	}
	first := len(p.scan.Symbols)
	for i, n := range names {
		if n != "_" {
			p.symbol(kind, n, lines[i])
		}
	}
	if len(names) == 0 || !p.goEnded() {
		p.goRest()
	}
	for i := first; i < len(p.scan.Symbols); i++ {
		p.ends(i)
	}
}
