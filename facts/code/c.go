package code

import "strings"

var cSyntax = syntax{
	letters: "$", line: []string{"//"}, block: [2]string{"/*", "*/"}, directives: true, separated: true,
	quotes:   []quote{{open: `"`, close: `"`}, {open: "'", close: "'"}},
	specials: `"`, special: func(*lexer) reading { return nothing }, prefix: cPrefix,
}

// cPrefix reads the string after a prefix of C or C++, as in L"x" and R"x(...)x". It reports whether the word is such a
// prefix and a string follows.
func cPrefix(l *lexer, word string) bool {
	if l.peek(0) != '"' {
		return false
	}
	switch word {
	case "R", "LR", "uR", "UR", "u8R":
		const maxDelimiter = 16
		open := strings.IndexByte(l.src[l.pos:min(len(l.src), l.pos+maxDelimiter+2)], '(')
		if open < 0 {
			return false
		}
		end := ")" + l.src[l.pos+1:l.pos+open] + `"`
		l.pos += open + 1
		l.rawText(end)
		return true
	case "L", "u", "U", "u8":
		return l.text('"')
	}
	return false
}

// scanC reads C: functions, structs, unions, enumerations, types and macros with a value.
func scanC(src string, scan *Scan) { scanCFamily(src, scan, false) }

// scanHeader reads a header of C, or of C++ if the header looks like C++.
func scanHeader(src string, scan *Scan) {
	for _, w := range []string{"namespace ", "template<", "template <", "public:", "private:", "protected:", "class "} {
		if i := strings.Index(src, w); i >= 0 && (i == 0 || src[i-1] == '\n' || src[i-1] == ' ' || src[i-1] == '\t') &&
			!commented(src, i) {
			scanCFamily(src, scan, true)
			return
		}
	}
	scanCFamily(src, scan, false)
}

// commented reports whether a position seems to be in a comment.
func commented(src string, at int) bool {
	line := strings.TrimLeft(src[strings.LastIndexByte(src[:at], '\n')+1:at], " \t")
	return strings.HasPrefix(line, "*") || strings.HasPrefix(line, "/") || strings.HasPrefix(line, "#")
}

func scanCFamily(src string, scan *Scan, plus bool) {
	p := newParser(src, &cSyntax, scan)
	for !p.done() {
		p.cDeclarations("", plus)
		p.advance() // an unmatched closing bracket
	}
}

func (p *parser) cDeclarations(class string, plus bool) {
	for !p.done() && !p.closes() {
		d := cDeclaration{p: p, class: class, plus: plus, line: p.tok.line}
		d.read()
	}
}

// cDeclaration is a declaration of C or C++ while it is read.
type cDeclaration struct {
	p     *parser
	class string // the class that the declaration is a member of
	plus  bool   // the language is C++
	line  int
	words int    // number of words before the name of a function
	name  string // the name of a function whose parameters have been read
	at    int    // the line of the first word
	scope string // the text before :: and the name
	last  string // the word before the current token
}

// notFunction reports whether a word before parentheses cannot be the name of a function.
func notFunction(w string) bool {
	switch w {
	case "", "if", "for", "while", "switch", "return", "sizeof", "int", "char", "void", "long", "short", "unsigned",
		"signed", "float", "double", "bool", "const", "static", "volatile", "__attribute__", "__attribute", "noexcept",
		"throw", "decltype", "alignas", "_Alignas", "__declspec", "requires", "explicit", "asm", "__asm__", "defined",
		"static_assert", "_Static_assert", "typeof", "__typeof__", "constexpr", "auto", "inline", "catch", "alignof":
		return true
	}
	return false
}

// isCapital reports whether a name belongs to a macro by convention, or is reserved.
func isCapital(s string) bool {
	return strings.HasPrefix(s, "__") || len(s) > 1 && strings.ToUpper(s) == s
}

// read reads tokens up to the end of the declaration, and adds its symbols.
func (d *cDeclaration) read() {
	p := d.p
	for !p.done() && !p.closes() {
		w := p.word()
		switch {
		case p.at(';'):
			d.ends()
			p.advance()
			return
		case p.at('{'):
			d.body()
			return
		case p.at('='):
			d.value()
			return
		case p.at('('):
			d.parenthesis()
			continue
		case p.at(':') && p.peek(0) != ':' && !p.follows(':'):
			if d.colon() {
				return
			}
			continue
		case p.at('<') && d.plus && p.before.kind == aWord:
			if p.angles(); p.at(':') && p.peek(0) == ':' {
				d.qualify(d.last)
			}
			continue
		case p.at('[') && d.words == 0 && p.peek(0) == '[':
			p.group()
			d.line = p.tok.line
			continue
		case w != "":
			if d.word(w) {
				return
			}
			continue
		case p.tok.kind == aText && d.last == "extern":
			p.advance()
			if p.at('{') {
				p.within("", func(p *parser) { p.cDeclarations(d.class, d.plus) })
				return
			}
			continue
		}
		p.pass()
	}
}

// word reads a word, and reports whether the declaration has ended.
func (d *cDeclaration) word(w string) bool {
	p := d.p
	switch w {
	case "typedef":
		d.typedef()
		return true
	case "struct", "union", "enum":
		return d.tag(w)
	case "class":
		if d.plus {
			return d.tag(w)
		}
	case "namespace":
		if d.plus {
			d.namespace()
			return true
		}
	case "using":
		if d.plus {
			d.using()
			return true
		}
	case "template":
		if d.plus {
			if p.advance(); p.at('<') {
				p.angles()
			}
			return false
		}
	case "operator":
		if d.plus {
			d.operator()
			return false
		}
	case "public", "private", "protected", "signals", "slots", "Q_SIGNALS", "Q_SLOTS":
		if d.class != "" {
			if p.advance(); p.at(':') && p.peek(0) != ':' {
				p.advance()
				return true
			}
			return false
		}
	}
	if d.name != "" && isCapital(d.name) && p.tok.first && d.words <= 1 { // the name was a macro without a semicolon
		d.line, d.name, d.words = p.tok.line, "", 0
	}
	if !p.follows(':') && !p.follows('~') {
		d.scope = ""
	}
	d.last = w
	if d.name == "" {
		d.words++
	}
	p.advance()
	if p.at(':') && p.peek(0) == ':' {
		d.qualify(w)
	}
	return false
}

// qualify adds a name before two colons to the scope of the next name, as in scope::name.
func (d *cDeclaration) qualify(w string) {
	d.p.advance()
	d.p.advance()
	if d.scope != "" {
		w = d.scope + "." + w
	}
	if d.scope = w; d.name == "" {
		d.words--
	}
	d.p.before = token{kind: aMark, mark: ':', end: d.p.before.end, start: d.p.before.start, line: d.p.before.line}
}

// parenthesis skips parentheses. They may be parameters.
func (d *cDeclaration) parenthesis() {
	p := d.p
	pointer := p.peekMark() == '*' || p.peekMark() == '^'
	generic := d.plus && p.follows('>') && d.name == ""
	called := (p.before.kind == aWord || generic) && !pointer && !notFunction(d.last)
	if called && (d.name == "" || isCapital(d.name) && !isCapital(d.last)) {
		d.name = d.last
		if d.scope != "" {
			d.at = d.line
		}
	} else {
		called = false
	}
	tilde := called && p.before.start > 0 && p.src[p.before.start-1] == '~'
	if tilde {
		d.name = "~" + d.name
	}
	p.group()
	if !called {
		return
	}
	if d.plus {
		d.tail()
	}
}

// tail skips words such as const and noexcept after the parameters of a function, and a result type after an arrow.
func (d *cDeclaration) tail() {
	p := d.p
	for w := p.word(); w == "const" || w == "override" || w == "final" || w == "noexcept"; w = p.word() {
		if p.advance(); p.at('(') {
			p.group()
		}
	}
	if p.at('-') && p.peek(0) == '>' {
		for !p.done() && !p.closes() && !p.at('{') && !p.at(';') && !(p.at('=') && p.peek(0) != '=') {
			if p.at('<') {
				p.angles()
				continue
			}
			p.pass()
		}
	}
}

// function adds the function with the name that was read.
func (d *cDeclaration) function(defined bool) int {
	p := d.p
	if d.name == "" || !defined && d.class == "" {
		return -1
	}
	special := d.name == d.class || strings.HasPrefix(d.name, "~") || strings.HasPrefix(d.name, "operator")
	if d.class != "" && d.words <= 1 && !special {
		return -1 // a macro
	}
	kind := Function
	if d.class != "" || d.scope != "" {
		kind = Method
	}
	parent := p.parent
	if d.scope != "" && len(d.scope) <= maxName {
		p.parent = strings.Clone(d.scope)
	}
	s := p.symbol(kind, d.name, d.line)
	p.parent = parent
	return s
}

// ends adds the declaration of a method without a body, such as int f(int); in a class. A function outside of a class
// is added only if it has a body.
func (d *cDeclaration) ends() {
	if d.last != "friend" && d.name != "" {
		d.p.ends(d.function(false))
	}
}

// body reads the body of a function, or a value in braces.
func (d *cDeclaration) body() {
	s := d.function(true)
	d.p.group()
	d.p.ends(s)
	if d.name == "" {
		d.p.take(';')
	}
}

// value skips = and the text that follows. If default, delete or 0 follows the parameters of a function in this way,
// value adds the function.
func (d *cDeclaration) value() {
	p := d.p
	s := -1
	if w := p.peekWord(); d.name != "" && (w == "default" || w == "delete" || p.peekMark() == '0') {
		s = d.function(w == "default" && d.scope != "")
	}
	p.javaRest()
	p.ends(s)
}

// colon skips a colon and the text after it: member initializers of a constructor, or the width of a bit-field. If the
// declaration has no name yet, colon skips only the colon. It reports whether the declaration has ended.
func (d *cDeclaration) colon() bool {
	p := d.p
	p.advance()
	if d.name == "" {
		return false
	}
	for !p.done() && !p.closes() && !p.at(';') {
		if p.at('{') && (p.closesBefore()) {
			d.body()
			return true
		}
		if p.at('<') {
			p.angles()
			continue
		}
		p.pass()
	}
	return false
}
