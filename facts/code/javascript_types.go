package code

func (p *parser) scriptClass(line int) {
	p.advance()
	name := p.word()
	if name == "" || name == "extends" || name == "implements" {
		name = "default"
	} else {
		p.advance()
	}
	s := p.symbol(Class, name, line)
	p.heritage()
	if p.at('{') {
		p.within(name, (*parser).members)
	}
	p.ends(s)
}

// heritage skips everything between the name of a class and its body.
func (p *parser) heritage() {
	expected := false
	for !p.done() && !p.at(';') && !p.closes() {
		switch {
		case p.at('{') && !expected:
			return
		case p.at('<'):
			p.angles()
			continue
		case p.word() == "class": // extends class {}
			expected = true
			p.advance()
			continue
		}
		expected = p.word() == "extends" && p.peekMark() == '{'
		p.pass()
	}
}

func (p *parser) scriptType(kind Kind, line int) {
	p.advance()
	name := p.word()
	p.advance()
	s := p.symbol(kind, name, line)
	p.heritage()
	if p.at('{') {
		p.group()
	}
	p.ends(s)
}

func (p *parser) scriptAlias(line int) {
	p.advance()
	name := p.word()
	p.advance()
	if p.at('<') {
		p.angles()
	}
	if !p.take('=') {
		p.scriptExpression()
		return
	}
	s := p.symbol(Type, name, line)
	p.scriptTypeOf()
	p.ends(s)
}

func (p *parser) scriptModule(line int) {
	name := "global"
	if p.word() != "global" {
		p.advance()
		if text, ok := p.value(); ok {
			name = text
			p.advance()
		} else {
			name = p.qualified(".")
		}
	} else {
		p.advance()
	}
	s := p.symbol(Module, name, line)
	if p.at('{') {
		p.within(name, (*parser).script)
	}
	p.ends(s)
}
