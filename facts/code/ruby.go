package code

import "strings"

var rubySyntax = syntax{
	letters: "@", line: []string{"#"},
	quotes: []quote{{open: "'", close: "'", lines: true}, {open: `"`, close: `"`, lines: true, code: "#{"},
		{open: "`", close: "`", lines: true, code: "#{"}},
	specials: "$%/<?:=", special: rubySpecial,
}

// rubySpecial reads global variables, strings with a percent sign, quoted symbols, regular expressions,
// here-documents, characters, and comments between =begin and =end.
func rubySpecial(l *lexer) reading {
	switch l.src[l.pos] {
	case '$':
		if l.class[l.peek(1)] == letter || l.peek(1) == 0 {
			l.word()
		} else {
			l.pos += 2
		}
		return name
	case '%':
		return rubyPercent(l)
	case '/':
		if l.rubyOperand() {
			return rubyRegexp(l)
		}
	case '<':
		if l.has("<<") {
			return rubyHeredoc(l)
		}
	case '?':
		if c := l.class[l.peek(1)]; l.rubyOperand() && c != space && c != newline && l.class[l.peek(2)] != letter {
			l.pos += 2
			return literal
		}
	case ':':
		if c := l.peek(1); c == '"' || c == '\'' {
			l.pos++
			l.text(c)
			return literal
		}
	case '=':
		if l.pos == l.lineAt && l.has("=begin") {
			if i := strings.Index(l.src[l.pos:], "\n=end"); i >= 0 {
				l.pass(l.pos + i + 1)
				l.toLineEnd()
			} else {
				l.pass(len(l.src))
			}
			return blank
		}
	}
	return nothing
}

// rubyOperand reports whether the lexer expects an operand, and not an operator.
func (l *lexer) rubyOperand() bool {
	t := l.last
	blankBefore := t.end < l.pos
	switch t.kind {
	case aMark:
		return t.mark != ')' && t.mark != ']' && t.mark != '}' && (t.mark != ':' || blankBefore)
	case aWord:
		switch l.src[t.start:t.end] {
		case "def":
			return false
		case "if", "unless", "while", "until", "when", "and", "or", "not", "return", "puts", "in", "do", "then", "elsif",
			"else", "yield", "split", "match", "case", "raise", "scan", "gsub", "sub":
			return true
		}
		c := l.class[l.peek(1)]
		return blankBefore && c != space && c != newline && l.peek(1) != '='
	case aText, aNumber:
		return false
	}
	return true
}

func rubyRegexp(l *lexer) reading {
	for i := l.pos + 1; i < min(len(l.src), l.pos+maxRegexp); i++ {
		switch l.src[i] {
		case '\\':
			i++
		case '/':
			l.pass(i + 1)
			return literal
		}
	}
	return nothing
}

// rubyPercent reads %w[a b], %q(a) and similar literals.
func rubyPercent(l *lexer) reading {
	i := 1
	if strings.IndexByte("wWiIqQrsx", l.peek(1)) >= 0 && l.peek(1) != 0 {
		i = 2
	}
	open := l.peek(i)
	if c := l.class[open]; c == letter || c == digit || c == space || c == newline || open == 0 ||
		i == 1 && (!l.rubyOperand() || open == '=') || i == 2 && l.last.kind != aMark && l.last.end == l.pos {
		return nothing
	}
	end := closing(open)
	l.pos += i + 1
	for depth := 1; l.pos < len(l.src); {
		c := l.src[l.pos]
		l.pos++
		switch {
		case c == '\\' && l.peek(0) != '\n':
			l.pos = min(len(l.src), l.pos+1)
		case c == '\n':
			l.pos--
			l.passLine()
		case c == end:
			if depth--; depth == 0 {
				return literal
			}
		case c == open:
			depth++
		}
	}
	return literal
}

func rubyHeredoc(l *lexer) reading {
	i := 2
	h := heredoc{}
	if c := l.peek(i); c == '~' || c == '-' {
		h.indented = true
		i++
	}
	rest := firstLine(l.src[l.pos+i : min(len(l.src), l.pos+i+200)])
	if c := l.peek(i); c == '"' || c == '\'' || c == '`' {
		end := -1
		if rest != "" {
			end = strings.IndexByte(rest[1:], c)
		}
		if end < 0 {
			return nothing
		}
		h.word = rest[1 : 1+end]
		i += end + 2
	} else {
		n := 0
		for n < len(rest) && (l.class[rest[n]] == letter && rest[n] != '@' && rest[n] != '$' || l.class[rest[n]] == digit) {
			n++
		}
		if n == 0 || l.class[rest[0]] != letter || !h.indented && (rest[0] < 'A' || rest[0] > 'Z') {
			return nothing
		}
		h.word = rest[:n]
		i += n
	}
	if len(l.heredocs) >= maxHeredocs || h.word == "" || l.src[l.last.start:l.last.end] == "class" {
		return nothing
	}
	l.heredocs = append(l.heredocs, h)
	l.pos += i
	return literal
}

// scanRuby reads Ruby: classes, modules and methods. For an import relative to the file, Import.Names has the text
// "relative".
func scanRuby(src string, scan *Scan) {
	if i := strings.Index(src, "\n__END__\n"); i >= 0 {
		src = src[:i+1]
	}
	p := newParser(src, &rubySyntax, scan)
	var blocks []block
	depth, start, line, width := 0, 0, 0, 0
	for !p.done() {
		if p.tok.first {
			line, width = p.tok.line, p.column(p.tok)
			switch p.word() {
			case "def", "class", "module": // an earlier bracket was misread
				depth = 0
			}
			if depth == 0 {
				start = width
				blocks = p.rubyEnd(blocks, start)
			}
		}
		p.inBlock(blocks)
		if p.rubyRequire() {
			continue
		}
		if b, ok := p.rubyDefinition(blocks, line); ok {
			b.column = start
			if p.rubyOneLine() {
				p.rubyLine()
				p.ends(b.symbol)
			} else if len(blocks) < maxLevel {
				blocks = append(blocks, b)
			}
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

// rubyEnd drops the blocks that end before or with a line.
func (p *parser) rubyEnd(blocks []block, column int) []block {
	switch p.word() {
	case "private", "protected", "public":
		if p.peek(0) == '\n' || p.peek(0) == '\r' {
			return blocks // lines such as private may be indented less
		}
	}
	for n := len(blocks); n > 0; n = len(blocks) {
		b := blocks[n-1]
		if b.column < column {
			break
		}
		if b.column == column {
			switch p.word() {
			case "end":
				p.endsHere(b.symbol)
				return blocks[:n-1]
			case "rescue", "ensure", "else":
				return blocks
			}
		}
		p.ends(b.symbol)
		blocks = blocks[:n-1]
	}
	return blocks
}

// rubyOneLine reports whether a definition ends in the line of its head.
func (p *parser) rubyOneLine() bool {
	if p.done() || p.tok.first && !p.follows(';') {
		return false
	}
	rest := firstLine(p.src[p.tok.start:min(len(p.src), p.tok.start+2000)])
	if i := strings.Index(rest, " # "); i >= 0 {
		rest = rest[:i]
	}
	rest = strings.TrimRight(rest, " \t\r;)")
	if rest == "end" || strings.HasSuffix(rest, " end") || strings.HasSuffix(rest, ";end") {
		return true
	}
	if p.at('(') { // def a(b) = c has no end keyword
		depth := 0
		for i := range len(rest) {
			if depth += nesting(rest[i]); depth == 0 {
				rest = strings.TrimLeft(rest[i+1:], " ")
				break
			}
		}
	}
	return strings.HasPrefix(rest, "= ")
}

// rubyLine skips the rest of a line.
func (p *parser) rubyLine() {
	for line := p.tok.line; !p.done() && p.tok.line == line; {
		p.advance()
	}
}

// rubyDefinition reads the head of a class, module or method, and reports whether there is such a head. Definitions
// inside of a method are not symbols.
func (p *parser) rubyDefinition(blocks []block, line int) (block, bool) {
	b := block{symbol: -1, parent: p.parent}
	w := p.word()
	if w != "class" && w != "module" && w != "def" || p.follows('.') || p.follows(':') {
		return b, false
	}
	if p.peekMark() == ':' && w != "class" {
		return b, false
	}
	if w != "def" && !p.tok.first && !p.follows(';') && !p.follows('=') {
		return b, false
	}
	if len(blocks) > 0 && blocks[len(blocks)-1].opaque {
		if w == "def" && p.tok.first {
			b.opaque = true
			p.advance()
			return b, true
		}
		return b, false
	}
	p.advance()
	if w == "def" {
		b.opaque = true
		kind := Method
		if len(blocks) == 0 {
			kind = Function
		}
		b.symbol = p.symbol(kind, p.rubyName(), line)
		return b, true
	}
	if p.at('<') { // class << self
		return b, true
	}
	name := strings.TrimPrefix(strings.ReplaceAll(p.qualified(":"), "::", "."), ".")
	kind := Class
	if w == "module" {
		kind = Module
	}
	if name == "" {
		return b, false
	}
	b.symbol = p.symbol(kind, strings.ReplaceAll(name, ".", "::"), line)
	b.parent = p.fullName(name)
	return b, true
}

// rubyName reads the name of a method: a, a?, a=, self.a, ==, [].
func (p *parser) rubyName() string {
	name := p.rubyWord()
	for (p.at('.') || p.at(':') && p.peek(0) == ':') && p.tok.glued {
		if p.advance(); p.at(':') {
			p.advance()
		}
		name = p.rubyWord()
	}
	return name
}

func (p *parser) rubyWord() string {
	from := p.tok.start
	if p.tok.kind == aWord {
		p.advance()
		end := p.before.end
		if p.tok.glued && (p.at('?') || p.at('!') || p.at('=') && p.peek(0) != '=') {
			end = p.tok.end
			p.advance()
		}
		return p.src[from:end]
	}
	if p.tok.kind == aText && p.src[from] == '`' {
		p.advance()
		return "`"
	}
	for p.tok.kind == aMark && (p.tok.glued || p.tok.start == from) && !p.at('(') && !p.at(';') && !p.at('{') {
		p.advance()
	}
	if p.word() == "@" { // the rest of +@
		p.advance()
	}
	if from == p.tok.start {
		return ""
	}
	return p.since(from)
}

// rubyRequire reads require "x", require_relative "x" and autoload :X, "x". It reports whether the current word was
// such a call.
func (p *parser) rubyRequire() bool {
	w := p.word()
	if w != "require" && w != "require_relative" && w != "autoload" || p.follows('.') || p.follows(':') {
		return false
	}
	line := p.tok.line
	p.advance()
	p.take('(')
	if w == "autoload" {
		for i := 0; i < 4 && !p.at(',') && !p.done() && p.tok.line == line && p.word() != "autoload"; i++ {
			p.advance()
		}
		if !p.take(',') {
			return true
		}
	}
	path, ok := p.value()
	if ok && p.tok.line == line && !strings.Contains(path, "#{") {
		p.advance()
		if w == "require_relative" {
			p.imports(path, line, "relative")
		} else {
			p.imports(path, line)
		}
	}
	return true
}
