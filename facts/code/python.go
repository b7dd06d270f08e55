package code

import "strings"

var pythonSyntax = syntax{
	line:     []string{"#"},
	specials: `"'`, special: func(l *lexer) reading { return pythonText(l) }, prefix: pythonPrefix,
}

var pythonQuotes = []quote{
	{open: `"""`, close: `"""`, lines: true}, {open: "'''", close: "'''", lines: true},
	{open: `"`, close: `"`}, {open: "'", close: "'"},
}

func pythonText(l *lexer) reading {
	for i := range pythonQuotes {
		if q := &pythonQuotes[i]; l.has(q.open) {
			l.pos += len(q.open)
			l.quoted(q)
			return literal
		}
	}
	return nothing
}

func pythonPrefix(l *lexer, word string) bool {
	return len(word) <= 2 && strings.Trim(word, "rRbBuUfFtT") == "" && pythonText(l) == literal
}

// block is a definition with an indented body.
type block struct {
	column int
	symbol int // -1 for none
	parent string
	opaque bool // a function; definitions inside of a function are not symbols
	depth  int  // depth of brackets, in Scala
}

// column returns the column of the first token of a line. A tab extends to the next multiple of eight.
func (p *parser) column(t token) int {
	column := 0
	for _, c := range p.src[t.lineAt:t.start] {
		if c == '\t' {
			column += 8 - column%8
		} else {
			column++
		}
	}
	return column
}

// scanPython reads Python: classes, functions and methods. An import lists the names that it takes from its module.
func scanPython(src string, scan *Scan) {
	p := newParser(src, &pythonSyntax, scan)
	var blocks []block
	depth := 0
	for !p.done() {
		if p.tok.first && depth == 0 && !p.continued() {
			column := p.column(p.tok)
			for len(blocks) > 0 && blocks[len(blocks)-1].column >= column {
				p.ends(blocks[len(blocks)-1].symbol)
				blocks = blocks[:len(blocks)-1]
			}
			p.inBlock(blocks)
			if b, ok := p.pythonDefinition(column, blocks); ok {
				if len(blocks) < maxLevel {
					blocks = append(blocks, b)
				}
				continue
			}
			if p.pythonImport() {
				continue
			}
		} else if depth == 0 && (p.follows(':') || p.follows(';')) && p.pythonImport() {
			continue
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

// inBlock makes the innermost block the parent of symbols.
func (p *parser) inBlock(blocks []block) {
	p.parent = ""
	if len(blocks) > 0 {
		p.parent = blocks[len(blocks)-1].parent
	}
}

// continued reports whether the previous line ends with a backslash.
func (p *parser) continued() bool {
	end := p.tok.lineAt - 1
	if end > 0 && p.src[end-1] == '\r' {
		end--
	}
	return end > 0 && p.src[end-1] == '\\' && p.before.kind != endOfFile
}

// pythonDefinition reads the head of a class or function, and reports whether there is such a head. Definitions
// inside of a function are not symbols.
func (p *parser) pythonDefinition(column int, blocks []block) (block, bool) {
	line := p.tok.line
	inside := len(blocks) > 0 && blocks[len(blocks)-1].opaque
	if p.word() == "async" && p.peekWord() == "def" {
		p.advance()
	}
	kind := Function
	switch p.word() {
	case "class":
		kind = Class
	case "def":
		if len(blocks) > 0 && !inside {
			kind = Method
		}
	default:
		return block{}, false
	}
	p.advance()
	name := p.word()
	b := block{column: column, symbol: -1, opaque: inside || kind != Class, parent: p.parent}
	if name == "" {
		return b, true
	}
	if !inside {
		b.symbol = p.symbol(kind, name, line)
	}
	if kind == Class && !inside {
		b.parent = p.fullName(name)
	}
	p.advance()
	return b, true
}

// fullName returns the full name of a type inside of the current type.
func (p *parser) fullName(name string) string {
	if p.parent == "" || len(p.parent)+len(name) > maxName {
		return strings.Clone(name)
	}
	return p.parent + "." + name
}

// pythonImport reads an import at the current token, and reports whether there is an import.
func (p *parser) pythonImport() bool {
	line := p.tok.line
	switch p.word() {
	case "import":
		for {
			p.advance()
			module := p.qualified(".")
			p.imports(module, line)
			if p.takeWord("as") {
				p.advance()
			}
			if !p.at(',') {
				return true
			}
		}
	case "from":
		p.advance()
		module := p.pythonModule()
		if module == "" || !p.takeWord("import") {
			return true
		}
		p.imports(module, line, p.pythonNames()...)
		return true
	}
	return false
}

// pythonModule reads the module after from, with its leading dots.
func (p *parser) pythonModule() string {
	var b strings.Builder
	for !p.done() && p.word() != "import" && b.Len() <= maxName {
		switch {
		case p.tok.kind == aWord:
			b.WriteString(p.word())
		case p.at('.'):
			b.WriteByte('.')
		default:
			return ""
		}
		p.advance()
	}
	return b.String()
}

// pythonNames reads the names after import.
func (p *parser) pythonNames() []string {
	const maxNames = 1000
	var names []string
	inside := p.take('(')
	for !p.done() && len(names) < maxNames {
		switch {
		case p.tok.first && !inside && !p.continued():
			return names
		case p.at(','):
		case p.at('*'):
			names = append(names, "*")
		case p.word() == "as":
			p.advance()
		case p.tok.kind == aWord:
			names = append(names, p.word())
		default:
			p.take(')')
			return names
		}
		p.advance()
	}
	return names
}
