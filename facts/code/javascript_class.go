package code

import "strings"

// scriptVariables reads the names after const, let or var.
func (p *parser) scriptVariables(line int) {
	kind := Var
	if p.word() == "const" || p.word() == "using" {
		kind = Const
	}
	p.advance()
	for more := true; more && !p.done(); {
		if p.tok.kind != aWord {
			if p.opens() { // a pattern
				p.group()
			}
			if more = p.initializer(); more {
				p.advance()
			}
			continue
		}
		name := p.word()
		if p.before.kind == aMark {
			line = p.tok.line
		}
		p.advance()
		p.take('!')
		if p.take(':') {
			p.scriptTypeOf()
		}
		s := p.symbol(kind, name, line)
		if s >= 0 && p.at('=') && p.isFunction() {
			p.scan.Symbols[s].Kind = Function
		}
		more = p.initializer()
		if s >= 0 {
			p.scan.Symbols[s].End = max(line, p.lastLine())
		}
		if more {
			p.advance()
		}
	}
	p.take(';')
}

// initializer skips = and an expression, and reports whether a comma with another name follows.
func (p *parser) initializer() bool {
	if p.done() || p.at(';') || p.closes() {
		return false
	}
	if p.tok.first && !p.at('=') && !p.at(',') {
		return false
	}
	for angle := 0; !p.done() && !p.at(';') && !p.closes(); {
		switch {
		case p.at(',') && angle == 0:
			return p.declarator()
		case p.at('<') && (p.follows('=') || p.follows('*') || p.follows('>') && p.arrowBefore() ||
			p.before.kind == aWord && p.src[p.before.start:p.before.end] == "async"):
			p.angles()
			continue
		case p.at('<') && p.tok.glued && p.before.kind == aWord && p.peek(0) != ' ' && p.peek(0) != '=':
			angle++
		case p.at('>') && angle > 0 && !p.follows('='):
			angle--
		case p.scriptEnds():
			return false
		}
		p.scriptPass()
	}
	return false
}

// declarator reports whether another name or pattern may follow the comma at the current token.
func (p *parser) declarator() bool {
	rest := strings.TrimLeft(p.src[p.pos:min(len(p.src), p.pos+maxName)], " \t\r\n")
	return rest != "" && (p.class[rest[0]] == letter || rest[0] == '{' || rest[0] == '[' || rest[0] == '/')
}

// isFunction reports whether the value after the current token = is a function.
func (p *parser) isFunction() bool {
	look := &parser{lexer: p.lexer}
	look.scan = &Scan{}
	look.advance()
	if look.word() == "async" && look.peekMark() != '=' {
		look.advance()
	}
	if look.word() == "function" {
		return !look.called()
	}
	if look.tok.kind == aWord {
		look.advance()
		return look.at('=') && look.peek(0) == '>'
	}
	if look.at('<') {
		look.angles()
	}
	if !look.at('(') {
		return false
	}
	for depth, n := 0, 0; !look.done() && n < 300; n++ {
		if look.tok.kind == aMark {
			if depth += nesting(look.tok.mark); depth == 0 {
				look.advance()
				return look.at('=') && look.peek(0) == '>' || look.at(':') && look.arrow()
			}
		}
		look.advance()
	}
	return false
}

// called skips the function at the current token, and reports whether the function is called immediately.
func (p *parser) called() bool {
	for !p.done() && !p.at('(') {
		p.advance()
	}
	p.group()
	if p.take(':') {
		p.scriptTypeOf()
	}
	if p.at('{') {
		p.group()
	}
	return p.at('(') && !p.tok.first
}

// arrow reports whether a result type and an arrow begin at the current colon.
func (p *parser) arrow() bool {
	p.advance()
	for n := 0; !p.done() && n < 300; n++ {
		switch {
		case p.at('=') && p.peek(0) == '>':
			return true
		case p.at(';'), p.at(','), p.closes():
			return false
		case p.at('<'):
			p.angles()
			continue
		}
		p.pass()
	}
	return false
}

// scriptEnds reports whether the end of a line ends the statement before the current token.
func (p *parser) scriptEnds() bool {
	if !p.tok.first {
		return false
	}
	switch p.tok.kind {
	case aMark:
		if !p.at('@') && !p.at('{') {
			return false
		}
	case aWord:
		switch p.word() {
		case "in", "of", "instanceof", "as", "satisfies":
			return false
		}
	case aText:
		if p.src[p.tok.start] == '`' {
			return false
		}
	}
	switch p.before.kind {
	case aMark:
		return p.closesBefore() || p.follows('>') && !p.arrowBefore()
	case aWord:
		if p.before.start > 0 && p.src[p.before.start-1] == '.' {
			return true
		}
		switch p.src[p.before.start:p.before.end] {
		case "return", "typeof", "case", "in", "of", "delete", "void", "new", "instanceof", "await", "extends", "as":
			return false
		}
	}
	return true
}

// arrowBefore reports whether the previous token is the end of =>.
func (p *parser) arrowBefore() bool { return p.before.start > 0 && p.src[p.before.start-1] == '=' }

// scriptPass skips a token or group of an expression.
func (p *parser) scriptPass() {
	if p.tok.kind == aWord && p.requires() {
		return
	}
	p.pass()
}

// scriptExpression skips a statement that declares nothing.
func (p *parser) scriptExpression() {
	for first := true; !p.done() && !p.closes() && (first || !p.scriptEnds()); first = false {
		if p.take(';') {
			return
		}
		braces := p.at('{')
		p.scriptPass()
		if braces && (p.tok.first || p.declares()) && !p.atAny(".,?:)=[(|&+-*/<>%") {
			return
		}
	}
}

// memberModifier reports whether a word may come before the name of a member.
func memberModifier(w string) bool {
	switch w {
	case "public", "private", "protected", "static", "readonly", "abstract", "override", "async", "get", "set",
		"declare", "accessor":
		return true
	}
	return false
}

// members reads the members of a class.
func (p *parser) members() {
	for !p.done() && !p.closes() {
		if p.take(';') || p.take(',') {
			continue
		}
		if p.at('@') {
			p.decorator()
			continue
		}
		p.member()
	}
}

func (p *parser) member() {
	line := p.tok.line
	for memberModifier(p.word()) {
		if c := p.peekMark(); c == '(' || c == '=' || c == ':' || c == ';' || c == '?' || c == '!' || c == '}' || c == '<' {
			break // the word is the name of the member
		}
		if p.advance(); p.at('{') { // static {}
			p.group()
			return
		}
	}
	p.take('*')
	name := ""
	switch text, ok := p.value(); {
	case p.tok.kind == aWord:
		name = p.word()
		p.advance()
	case ok:
		name = text
		p.advance()
	case p.at('['):
		from := p.tok.start
		p.group()
		name = p.since(from)
	default:
		p.pass()
		if p.before.kind != aNumber {
			return
		}
	}
	if p.at('?') || p.at('!') {
		p.advance()
	}
	if p.at('(') || p.at('<') {
		s := p.symbol(Method, name, line)
		p.scriptBody()
		p.ends(s)
		return
	}
	if p.take(':') {
		if p.scriptTypeOf(); !p.at('=') {
			return
		}
	}
	for !p.done() && !p.closes() && !p.at(';') {
		if p.scriptEnds() || p.tok.first && (p.at('[') || p.at('*')) && !p.follows('=') {
			return
		}
		p.scriptPass()
	}
}
