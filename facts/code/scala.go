package code

import "strings"

var scalaSyntax = syntax{
	letters: "$", line: []string{"//"}, block: [2]string{"/*", "*/"}, nested: true,
	quotes:   []quote{{open: `"""`, close: `"""`, raw: true, lines: true}, {open: `"`, close: `"`}},
	specials: "'`\"", special: scalaSpecial, prefix: scalaPrefix,
}

// scalaSpecial reads character literals and names in backquotes. Symbols such as 'a are not characters.
func scalaSpecial(l *lexer) reading {
	switch l.src[l.pos] {
	case '`':
		return backquoted(l)
	case '\'':
		return rustCharacter(l)
	}
	return nothing
}

// scalaPrefix reads a string with embedded code, such as s"${x}", and reports whether there is such a string.
func scalaPrefix(l *lexer, _ string) bool {
	if l.peek(0) != '"' {
		return false
	}
	if l.has(`"""`) {
		l.pos += 3
		l.quoted(&quote{close: `"""`, raw: true, lines: true, code: "${"})
		return true
	}
	l.pos++
	l.quoted(&quote{close: `"`, code: "${"})
	return true
}

// scanScala reads Scala, with braces or with indentation: types, objects, functions and methods. An import of several
// names gives several imports.
func scanScala(src string, scan *Scan) {
	p := newParser(src, &scalaSyntax, scan)
	var blocks []block
	depth, start, line := 0, 0, 0
	for !p.done() {
		if p.tok.first || p.follows(';') {
			if p.tok.first {
				start = p.column(p.tok)
			}
			blocks = p.scalaEnd(blocks, start, depth)
			line = p.tok.line
		} else if p.closes() {
			blocks = p.scalaClosed(blocks, depth-1)
		}
		p.inBlock(blocks)
		inside := len(blocks) > 0 && blocks[len(blocks)-1].opaque
		w := p.word()
		switch {
		case w == "import" && !p.follows('.') && (p.tok.first || p.before.kind == aMark):
			p.scalaImports()
			continue
		case w == "package" && !inside && p.peekWord() != "object":
			p.advance()
			p.scalaPackage()
			continue
		case p.at('@') && p.tok.first:
			p.annotationGlued()
			if !p.tok.first {
				line = p.tok.line
			}
			continue
		case !inside && w != "" && !p.follows('.'):
			if b, ok := p.scalaDefinition(w, line, len(blocks) > 0); ok {
				b.column, b.depth = start, depth
				if len(blocks) < maxLevel {
					blocks = append(blocks, b)
				}
				continue
			}
		}
		if p.tok.kind == aMark {
			depth = max(0, depth+nesting(p.tok.mark))
		}
		p.advance()
	}
	for _, b := range blocks {
		p.ends(b.symbol)
	}
}

// scalaEnd drops the blocks that end before a line with the given column.
func (p *parser) scalaEnd(blocks []block, column, depth int) []block {
	switch w := p.word(); {
	case w == "extends" || w == "with" || w == "derives" || p.at('{') || p.at('('):
		return blocks // the head of a type continues
	}
	for n := len(blocks); n > 0; n = len(blocks) {
		b := blocks[n-1]
		if column > b.column && depth >= b.depth || depth > b.depth && column == b.column && p.closes() {
			break
		}
		if depth > b.depth && !p.closes() {
			break // inside of brackets lines may begin at any column
		}
		if p.closes() && column == b.column || p.word() == "end" && column == b.column {
			p.endsHere(b.symbol)
		} else {
			p.ends(b.symbol)
		}
		blocks = blocks[:n-1]
	}
	return blocks
}

// endsHere records that a symbol ends in the line of the current token.
func (p *parser) endsHere(symbol int) {
	if symbol >= 0 {
		p.scan.Symbols[symbol].End = max(p.scan.Symbols[symbol].Line, p.tok.line)
	}
}

// scalaClosed handles a closing bracket. depth is the depth after the bracket. scalaClosed drops the deeper
// blocks. If the last block that remains has this depth, the block ends in the line of the bracket.
func (p *parser) scalaClosed(blocks []block, depth int) []block {
	for n := len(blocks); n > 0 && blocks[n-1].depth > depth; n = len(blocks) {
		p.ends(blocks[n-1].symbol)
		blocks = blocks[:n-1]
	}
	if n := len(blocks); n > 0 && blocks[n-1].depth == depth {
		p.endsHere(blocks[n-1].symbol)
	}
	return blocks
}

func (p *parser) scalaPackage() {
	name := p.qualified(".")
	if p.scan.Package != "" && name != "" {
		name = p.scan.Package + "." + name
	}
	if name != "" && len(name) <= maxName {
		p.scan.Package = strings.Clone(name)
	}
}

// scalaDefinition reads the head of a definition, and reports whether there is such a head.
func (p *parser) scalaDefinition(w string, line int, member bool) (block, bool) {
	b := block{symbol: -1, parent: p.parent, opaque: true}
	kind := Class
	switch w {
	case "class":
	case "trait":
		kind = Trait
	case "object":
		kind = Object
	case "enum":
		if p.class[p.peekMark()] != letter {
			return b, false
		}
		kind = Enum
	case "type":
		if c := p.class[p.peekMark()]; c != letter {
			return b, false
		}
		kind = Type
	case "def":
		kind = Function
		if member {
			kind = Method
		}
	case "val", "var", "given":
		p.advance()
		return b, true
	default:
		return b, false
	}
	p.advance()
	name := p.scalaName()
	if name == "" {
		return b, true
	}
	b.symbol = p.symbol(kind, name, line)
	if kind != Type && kind != Function && kind != Method {
		b.opaque = false
		b.parent = p.fullName(name)
	}
	return b, true
}

// scalaName reads a name. The name may be an operator.
func (p *parser) scalaName() string {
	if p.tok.kind == aWord {
		from := p.tok.start
		n := p.name()
		p.advance()
		if strings.HasSuffix(n, "_") {
			for p.tok.kind == aMark && p.tok.glued && !p.atAny("()[]{}.,;:\"'") {
				p.advance()
			}
			n = strings.Trim(p.since(from), "`")
		}
		return n
	}
	from := p.tok.start
	for p.tok.kind == aMark && !p.atAny("()[]{}.,;\"'") && (p.tok.glued || from == p.tok.start) {
		p.advance()
	}
	if from == p.tok.start {
		return ""
	}
	return p.since(from)
}

// scalaImports reads a.b.{c, d => e}, f.g.
func (p *parser) scalaImports() {
	line := p.tok.line
	p.advance()
	for {
		prefix := p.qualified(".*")
		if p.at('{') {
			p.advance()
			for !p.done() && !p.take('}') {
				item, at := p.name(), p.tok.line
				if p.at('*') {
					item = "*"
				}
				if item == "given" && p.peekMark() != ',' {
					p.advance()
					continue
				}
				if item != "" {
					p.imports(prefix+item, at)
				}
				for !p.done() && !p.at(',') && !p.at('}') {
					p.advance()
				}
				p.take(',')
			}
		} else if prefix != "" {
			p.imports(strings.TrimSuffix(prefix, "."), line)
			if p.takeWord("as") {
				p.advance()
			} else if p.at('=') && p.peek(0) == '>' {
				p.advance()
				p.advance()
				p.advance()
			}
		}
		if !p.take(',') {
			return
		}
	}
}
