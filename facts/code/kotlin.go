package code

import "strings"

var kotlinSyntax = syntax{
	letters: "`", line: []string{"//"}, block: [2]string{"/*", "*/"}, nested: true,
	quotes: []quote{{open: `"""`, close: `"""`, raw: true, lines: true, code: "${"},
		{open: `"`, close: `"`, code: "${"}, {open: "'", close: "'"}},
	specials: "`", special: backquoted,
}

// backquoted reads a name in backquotes.
func backquoted(l *lexer) reading {
	end := strings.IndexAny(l.src[l.pos+1:min(len(l.src), l.pos+maxName)], "`\n")
	if end < 0 || l.src[l.pos+1+end] == '\n' {
		return nothing
	}
	l.pos += end + 2
	return name
}

// scanKotlin reads Kotlin: types, objects, functions and methods.
func scanKotlin(src string, scan *Scan) {
	p := newParser(src, &kotlinSyntax, scan)
	for !p.done() {
		p.kotlinMembers(false)
		p.advance() // an unmatched closing bracket
	}
}

// kotlinMembers reads the declarations of a file or of a type.
func (p *parser) kotlinMembers(class bool) {
	line, last := 0, -1
	for !p.done() && !p.closes() {
		if p.at('@') {
			p.ended(&last)
			p.kotlinAnnotation()
			continue
		}
		w := p.word()
		if p.tok.first || p.follows(';') || line == 0 {
			if p.tok.first && kotlinStarts(w) {
				p.ended(&last)
			}
			line = p.tok.line
		} else if p.before.kind == aWord && !kotlinStarts(p.src[p.before.start:p.before.end]) && kotlinStarts(w) {
			line = p.tok.line
		}
		if p.follows(':') && p.tok.glued || p.follows('.') {
			w = ""
		}
		switch w {
		case "package":
			p.advance()
			p.scan.Package = p.qualified(".")
			continue
		case "import":
			if !class {
				p.kotlinImport()
				continue
			}
		case "class", "interface":
			p.kotlinClass(w, line)
			continue
		case "object":
			p.kotlinObject(line)
			continue
		case "typealias":
			p.advance()
			s := p.symbol(Type, p.name(), line)
			p.advance()
			last = s
			continue
		case "fun":
			if p.peekWord() != "interface" {
				last = p.kotlinFunction(class, line)
				continue
			}
		}
		p.pass()
	}
	p.ended(&last)
}

// ended records that a symbol without a body in braces ends before the current token.
func (p *parser) ended(symbol *int) {
	p.ends(*symbol)
	*symbol = -1
}

// kotlinStarts reports whether a declaration may begin with the word w.
func kotlinStarts(w string) bool {
	switch w {
	case "class", "interface", "object", "typealias", "fun", "val", "var", "init", "constructor", "public", "private",
		"protected", "internal", "open", "abstract", "final", "sealed", "data", "inner", "enum", "annotation", "companion",
		"inline", "value", "override", "suspend", "operator", "infix", "tailrec", "external", "lateinit", "const", "expect",
		"actual", "import", "package", "noinline", "crossinline":
		return true
	}
	return false
}

func (p *parser) kotlinAnnotation() {
	p.advance()
	for p.tok.kind == aWord {
		p.advance()
		if !p.at('.') && !p.at(':') {
			break
		}
		p.advance()
	}
	if p.at('[') {
		p.group()
		return
	}
	if p.at('<') {
		p.angles()
	}
	if p.at('(') && p.tok.glued {
		p.group()
	}
}

func (p *parser) kotlinImport() {
	line := p.tok.line
	p.advance()
	var b strings.Builder
	for !p.tok.first && b.Len() <= maxName && (p.tok.kind == aWord && p.word() != "as" || p.at('.') || p.at('*')) {
		if p.tok.kind == aWord {
			b.WriteString(p.name())
		} else {
			b.WriteByte(p.tok.mark)
		}
		p.advance()
	}
	if p.takeWord("as") {
		p.advance()
	}
	p.imports(b.String(), line)
}

func (p *parser) kotlinClass(word string, line int) {
	kind := Class
	if word == "interface" {
		kind = Interface
	}
	if p.before.kind == aWord && p.src[p.before.start:p.before.end] == "enum" {
		kind = Enum
	}
	p.advance()
	name := p.name()
	if name == "" {
		return
	}
	p.advance()
	s := p.symbol(kind, name, line)
	p.kotlinHeritage()
	if p.at('{') {
		p.within(name, func(p *parser) {
			if kind == Enum {
				p.enumEntries()
			}
			p.kotlinMembers(true)
		})
	}
	p.ends(s)
}

// kotlinHeritage skips everything between the name of a type and its body.
func (p *parser) kotlinHeritage() {
	for !p.done() && !p.closes() && !p.at('{') && !p.at(';') {
		if p.tok.first && !p.atAny("(:,<.") && !p.follows(':') && !p.follows(',') && !p.follows('.') {
			if w := p.word(); w != "where" && w != "constructor" && w != "by" && !p.beforeConstructor() {
				return
			}
		}
		switch {
		case p.at('<'):
			p.angles()
		case p.at('@'):
			p.kotlinAnnotation()
		default:
			p.pass()
		}
	}
	if p.at('{') && p.tok.first && p.before.line < p.tok.line-1 {
		return
	}
}

// beforeConstructor reports whether the current word is a visibility, such as private, before the word constructor.
func (p *parser) beforeConstructor() bool {
	switch p.word() {
	case "internal", "private", "public", "protected":
		return p.peekWord() == "constructor"
	}
	return false
}

func (p *parser) kotlinObject(line int) {
	companion := p.before.kind == aWord && p.src[p.before.start:p.before.end] == "companion"
	p.advance()
	name := ""
	if !p.tok.first && p.tok.kind == aWord {
		name = p.name()
		p.advance()
	}
	if name == "" && !companion {
		p.kotlinHeritage() // an expression without a name
		if p.at('{') {
			p.group()
		}
		return
	}
	if name == "" {
		name = "Companion"
	}
	s := p.symbol(Object, name, line)
	p.kotlinHeritage()
	if p.at('{') {
		p.within(name, func(p *parser) { p.kotlinMembers(true) })
	}
	p.ends(s)
}

// kotlinFunction reads a function. It skips a body in braces, but stops before a body that is an expression. It returns
// the number of the symbol if the end of the function is not known yet, and otherwise -1.
func (p *parser) kotlinFunction(class bool, line int) int {
	p.advance()
	name := ""
	for !p.done() && !p.closes() && !p.at('{') && !p.at('=') && !p.at(';') {
		if p.at('<') {
			p.angles()
			continue
		}
		if p.at('(') && name != "" && p.before.kind == aWord || p.at('(') && name != "" && p.follows('>') {
			break
		}
		if p.at('@') {
			p.kotlinAnnotation()
			continue
		}
		if p.tok.kind == aWord {
			name = p.name()
		} else if p.at('.') {
			name = ""
		}
		p.pass()
	}
	if !p.at('(') || name == "" {
		if p.at('{') {
			p.group()
		}
		return -1
	}
	kind := Function
	if class {
		kind = Method
	}
	s := p.symbol(kind, name, line)
	p.group()
	for !p.done() && !p.closes() {
		switch {
		case p.at('{'):
			p.group()
			p.ends(s)
			return -1
		case p.at('='), p.at(';'):
			return s
		case p.tok.first && !p.at(':') && !p.at('-') && p.word() != "where" && !p.follows(':') && !p.follows(',') &&
			!(p.follows('>') && p.src[p.before.start-1] == '-'):
			p.ends(s)
			return -1
		case p.at('<'):
			p.angles()
			continue
		}
		p.pass()
	}
	p.ends(s)
	return -1
}
