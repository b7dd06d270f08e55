package code

import "strings"

// parser reads declarations from tokens. Each language adds its own methods.
type parser struct {
	lexer
	tok     token // the current token
	before  token // the token before the current one
	parent  string
	level   int             // depth of types around the current token
	modules int             // depth of Rust modules around the current token
	paths   map[string]bool // paths of Rust that were already added as imports
	// inside is called at each word of a skipped body. It reports whether it has moved to another token.
	inside func(p *parser) bool
}

func newParser(src string, s *syntax, scan *Scan) *parser {
	p := &parser{lexer: newLexer(src, s, scan)}
	p.advance()
	return p
}

// advance moves to the next token.
func (p *parser) advance() {
	p.before = p.tok
	p.tok = p.next()
}

func (p *parser) done() bool { return p.tok.kind == endOfFile }

// at reports whether the current token is the given mark.
func (p *parser) at(mark byte) bool { return p.tok.kind == aMark && p.tok.mark == mark }

// atAny reports whether the current token is one of the given marks.
func (p *parser) atAny(marks string) bool {
	return p.tok.kind == aMark && strings.IndexByte(marks, p.tok.mark) >= 0
}

// follows reports whether the token before the current one is the given mark.
func (p *parser) follows(mark byte) bool { return p.before.kind == aMark && p.before.mark == mark }

// word returns the current token if it is a word, else "".
func (p *parser) word() string {
	if p.tok.kind != aWord {
		return ""
	}
	return p.src[p.tok.start:p.tok.end]
}

// beforeWord returns the token before the current one if it is a word, else "".
func (p *parser) beforeWord() string {
	if p.before.kind != aWord {
		return ""
	}
	return p.src[p.before.start:p.before.end]
}

// name returns the current word without the backquotes around it.
func (p *parser) name() string { return strings.Trim(p.word(), "`") }

// value returns the text of a string token without quotes. It returns false for any other token, and for a text that is
// empty, is too long, or has a backslash or a line end.
func (p *parser) value() (string, bool) {
	if p.tok.kind != aText {
		return "", false
	}
	s := p.src[p.tok.start:p.tok.end]
	if len(s) < 2 || s[0] != s[len(s)-1] || s[0] != '"' && s[0] != '\'' && s[0] != '`' {
		return "", false
	}
	s = s[1 : len(s)-1]
	return s, s != "" && len(s) <= maxName && !strings.ContainsAny(s, "\n\\")
}

// take reports whether the current token is the given mark. If so, take moves to the next token.
func (p *parser) take(mark byte) bool {
	if !p.at(mark) {
		return false
	}
	p.advance()
	return true
}

// takeWord reports whether the current token is the given word. If so, takeWord moves to the next token.
func (p *parser) takeWord(w string) bool {
	if p.word() != w {
		return false
	}
	p.advance()
	return true
}

// opens reports whether the current token opens a group.
func (p *parser) opens() bool { return p.tok.kind == aMark && nesting(p.tok.mark) > 0 }

// closes reports whether the current token closes a group.
func (p *parser) closes() bool { return p.tok.kind == aMark && nesting(p.tok.mark) < 0 }

// group skips a group in brackets that begins at the current token.
func (p *parser) group() {
	p.opaque++
	for depth := 0; !p.done(); {
		if p.tok.kind == aMark {
			depth += nesting(p.tok.mark)
			if depth == 0 {
				break
			}
		} else if p.tok.kind == aWord && p.inside != nil && p.inside(p) {
			continue
		}
		p.advance()
	}
	p.opaque--
	p.advance()
}

// angles skips type arguments that begin at the current token: <...>.
func (p *parser) angles() {
	const maxTokens = 2000
	for depth, n := 0, 0; !p.done() && n < maxTokens; n++ {
		switch {
		case p.at('<'):
			depth++
		case p.at('>') && !(p.tok.glued && (p.follows('=') || p.follows('-'))):
			if depth--; depth == 0 {
				p.advance()
				return
			}
		case p.at(';') || p.at('}'):
			return
		case p.opens():
			p.group()
			continue
		case p.tok.kind == aWord && p.inside != nil && p.inside(p):
			continue
		}
		p.advance()
	}
}

// pass skips the current token, or the whole group if the token opens one.
func (p *parser) pass() {
	if p.opens() {
		p.group()
	} else {
		p.advance()
	}
}

// symbol adds a symbol and returns its number. It adds nothing and returns -1 if the name is empty or too long, or if
// there are too many symbols.
func (p *parser) symbol(kind Kind, name string, line int) int {
	if name == "" || len(name) > maxName || len(p.scan.Symbols) >= maxSymbols {
		return -1
	}
	p.scan.Symbols = append(p.scan.Symbols, Symbol{Name: strings.Clone(name), Kind: kind, Parent: p.parent, Line: line,
		End: max(line, p.lastLine())})
	return len(p.scan.Symbols) - 1
}

// lastLine returns the line in which the token before the current one ends.
func (p *parser) lastLine() int {
	if p.before.kind != aText {
		return p.before.line
	}
	return p.before.line + strings.Count(p.src[p.before.start:p.before.end], "\n")
}

// ends records that a symbol ends with the token before the current one.
func (p *parser) ends(symbol int) {
	if symbol >= 0 {
		p.scan.Symbols[symbol].End = max(p.scan.Symbols[symbol].Line, p.lastLine())
	}
}

// imports adds an import to the scan. It ignores a path that is empty or too long, and all imports after the first
// maxImports.
func (p *parser) imports(path string, line int, names ...string) {
	if path == "" || len(path) > maxName || len(p.scan.Imports) >= maxImports {
		return
	}
	for i := range names {
		names[i] = strings.Clone(names[i])
	}
	p.scan.Imports = append(p.scan.Imports, Import{Path: strings.Clone(path), Line: line, Names: names})
}

// within reads the declarations inside of a type or namespace. The current token is the opening bracket. The function
// read must stop at the closing bracket.
func (p *parser) within(name string, read func(p *parser)) {
	if p.level >= maxLevel {
		p.group()
		return
	}
	parent := p.parent
	if name != "" {
		if p.parent != "" {
			name = p.parent + "." + name
		}
		p.parent = strings.Clone(name)
		if len(name) > maxName {
			p.parent = parent
		}
	}
	p.level++
	p.advance()
	read(p)
	p.level--
	p.parent = parent
	if p.closes() {
		p.advance()
	}
}

// qualified reads words with a mark between them, such as a.b.c. It returns the words and marks as one text without
// spaces.
func (p *parser) qualified(marks string) string {
	var b strings.Builder
	for !p.done() && b.Len() <= maxName {
		switch {
		case p.tok.kind == aWord:
			if b.Len() > 0 && p.before.kind == aWord {
				return b.String()
			}
			b.WriteString(p.name())
		case p.atAny(marks):
			b.WriteByte(p.tok.mark)
		default:
			return b.String()
		}
		p.advance()
	}
	return b.String()
}

// since returns the source from a position to the end of the token before the current one.
func (p *parser) since(from int) string { return p.src[from:max(from, p.before.end)] }
