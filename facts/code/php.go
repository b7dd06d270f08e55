package code

import (
	"strconv"
	"strings"
)

var phpSyntax = syntax{
	letters: "$", line: []string{"//"}, block: [2]string{"/*", "*/"},
	quotes: []quote{{open: "'", close: "'", lines: true}, {open: `"`, close: `"`, lines: true, code: "{$"},
		{open: "`", close: "`", lines: true}},
	specials: "#?</", special: phpSpecial,
}

// phpSpecial reads comments, here-documents, and text outside of PHP.
func phpSpecial(l *lexer) reading {
	switch c := l.src[l.pos]; {
	case c == '#' && l.peek(1) != '[', c == '/' && l.peek(1) == '/':
		end := l.lineEnd(l.pos)
		if i := strings.Index(l.src[l.pos:end], "?>"); i >= 0 {
			end = l.pos + i
		}
		l.note(l.src[l.pos:end], l.line)
		l.pos = end
		return blank
	case c == '?' && l.peek(1) == '>':
		l.outside()
		return blank
	case c == '<' && l.has("<<<"):
		return phpHeredoc(l)
	}
	return nothing
}

// outside skips text outside of PHP.
func (l *lexer) outside() {
	for {
		i := strings.Index(l.src[l.pos:], "<?")
		if i < 0 {
			l.pass(len(l.src))
			return
		}
		l.pass(l.pos + i + 2)
		switch {
		case strings.HasPrefix(strings.ToLower(l.src[l.pos:min(len(l.src), l.pos+3)]), "php"):
			l.pos += 3
			return
		case l.peek(0) == '=':
			l.pos++
			return
		}
	}
}

func phpHeredoc(l *lexer) reading {
	line := firstLine(l.src[l.pos+3 : min(len(l.src), l.pos+200)])
	word := strings.Trim(line, " \t\r'\"")
	if word == "" || strings.ContainsAny(word, " ()[]{};,.$'\"") || len(l.heredocs) >= maxHeredocs {
		return nothing
	}
	l.heredocs = append(l.heredocs, heredoc{word: word, indented: true, loose: true})
	l.toLineEnd()
	return literal
}

// scanPHP reads PHP: namespaces, types, functions, methods and constants. Import.Names says what an import names: it
// has the text "function", "const" or "file", and is empty for types. The path of a file begins with ./ if it is
// relative to the importing file.
func scanPHP(src string, scan *Scan) {
	p := &parser{lexer: newLexer(src, &phpSyntax, scan)}
	p.outside()
	p.inside = (*parser).includes
	p.advance()
	for !p.done() {
		p.phpStatements(false)
		p.advance()
	}
}

// phpStatements reads the declarations of a file or of a type. Blocks of other statements may have declarations, too.
func (p *parser) phpStatements(class bool) {
	line, started := 0, false
	for depth := 0; !p.done() && (depth > 0 || !p.closes()); {
		if p.at('#') { // an attribute
			p.advance()
			p.pass()
			continue
		}
		if !started {
			line, started = p.tok.line, true
		}
		if p.phpDeclaration(class, line) {
			started = false
			continue
		}
		switch {
		case p.at('{') && class:
			p.group()
			started = false
			continue
		case p.at('{'):
			depth++
		case p.at('}'):
			depth--
		case p.opens():
			p.group()
			continue
		case p.tok.kind == aWord && p.includes():
			continue
		}
		if started = !p.at(';') && !p.at('{') && !p.at('}'); !p.closes() || p.at('}') {
			p.advance()
		} else if depth > 0 {
			p.advance()
		}
	}
}

// phpDeclaration reads a declaration that begins with the current word, and reports whether there is such a
// declaration.
func (p *parser) phpDeclaration(class bool, line int) bool {
	if p.tok.kind != aWord || p.follows('>') || p.follows(':') || p.follows('=') {
		if p.word() != "function" && p.word() != "class" {
			return false
		}
	}
	switch strings.ToLower(p.word()) {
	case "namespace":
		if class || p.peekMark() == '\\' {
			return false
		}
		p.advance()
		if name := p.qualified(`\`); name != "" {
			p.scan.Package = name
			p.scan.Packages = append(p.scan.Packages[:min(len(p.scan.Packages), maxNotes)], name)
		}
	case "use":
		if class || p.level > 0 || p.peekMark() == '(' {
			return false
		}
		p.phpUse(line)
	case "class":
		if p.before.kind == aWord && strings.EqualFold(p.src[p.before.start:p.before.end], "new") {
			p.phpAnonymous()
			return true
		}
		return p.phpType(Class, line)
	case "interface":
		return p.phpType(Interface, line)
	case "trait":
		return p.phpType(Trait, line)
	case "enum":
		return p.phpType(Enum, line)
	case "function":
		p.phpFunction(class, line)
	case "const":
		p.phpConst(line)
	default:
		return false
	}
	return true
}

// phpAnonymous skips a class without a name.
func (p *parser) phpAnonymous() {
	for p.advance(); !p.done() && !p.at('{') && !p.at(';') && !p.closes(); {
		p.pass()
	}
	if p.at('{') {
		p.group()
	}
}

func (p *parser) phpType(kind Kind, line int) bool {
	if p.follows('>') || p.follows(':') || p.class[p.peekMark()] != letter {
		return false
	}
	p.advance()
	name := strings.Clone(p.word())
	if name == "extends" || name == "implements" {
		return true
	}
	p.advance()
	s := p.symbol(kind, name, line)
	for !p.done() && !p.at('{') && !p.at(';') && !p.closes() {
		p.pass()
	}
	if p.at('{') {
		p.within(name, func(p *parser) { p.phpStatements(true) })
	}
	p.ends(s)
	return true
}

func (p *parser) phpFunction(class bool, line int) {
	p.advance()
	p.take('&')
	name := p.word()
	kind := Function
	if class {
		kind = Method
	}
	s := -1
	if name != "" && name != "use" || class && name != "" {
		p.advance()
		if p.at('(') {
			s = p.symbol(kind, name, line)
		}
	}
	for !p.done() && !p.at('{') && !p.at(';') && !p.closes() && !(p.at('=') || p.at(',')) {
		p.pass()
	}
	if p.at('{') {
		p.group()
	} else {
		p.take(';')
	}
	p.ends(s)
}

func (p *parser) phpConst(line int) {
	p.advance()
	last := ""
	for !p.done() && !p.closes() && !p.take(';') {
		switch {
		case p.at('=') && last != "":
			s := p.symbol(Const, last, line)
			for !p.done() && !p.at(';') && !p.at(',') && !p.closes() {
				p.pass()
			}
			p.ends(s)
			last = ""
			continue
		case p.tok.kind == aWord:
			last = p.word()
		}
		p.pass()
	}
}

func (p *parser) phpUse(line int) {
	p.advance()
	var names []string
	if w := strings.ToLower(p.word()); w == "function" || w == "const" {
		names = []string{w}
		p.advance()
	}
	for !p.done() && !p.closes() {
		prefix := strings.TrimPrefix(p.qualified(`\`), `\`)
		if p.at('{') {
			p.phpUseGroup(prefix, line, names)
			continue
		}
		p.imports(prefix, line, names...)
		if p.takeWord("as") {
			p.advance()
		}
		if !p.take(',') {
			return
		}
	}
}

// phpUseGroup reads a\{b, c}.
func (p *parser) phpUseGroup(prefix string, line int, names []string) {
	p.advance()
	for !p.done() && !p.take('}') {
		kind := names
		if w := strings.ToLower(p.word()); (w == "function" || w == "const") && p.peekMark() != ',' {
			kind = []string{w}
			p.advance()
		}
		if rest := p.qualified(`\`); rest != "" {
			p.imports(prefix+rest, line, kind...)
		}
		if p.takeWord("as") {
			p.advance()
		}
		if !p.take(',') && !p.at('}') {
			p.advance()
		}
	}
}

// includes reads include and require with a literal path, which may follow __DIR__ or dirname(...). It reports whether
// the current word was such a keyword.
func (p *parser) includes() bool {
	switch strings.ToLower(p.word()) {
	case "include", "include_once", "require", "require_once":
	default:
		return false
	}
	line := p.tok.line
	if p.follows('>') || p.follows(':') || strings.EqualFold(p.src[p.before.start:p.before.end], "function") {
		return false
	}
	p.advance()
	open := p.take('(')
	dir := p.phpDirectory()
	path, ok := p.value()
	if ok && !strings.Contains(path, "$") {
		if p.advance(); p.at(';') || p.at(')') {
			if dir != "" {
				path = dir + strings.TrimLeft(path, "/")
			}
			p.imports(path, line, "file")
		}
	}
	if open {
		p.closeGroup()
	}
	return true
}

// phpDirectory reads the directory before a path and the dot behind it: __DIR__ or dirname(...). It returns the
// directory relative to the directory of the file, as ./ or ../, and "" if there is none.
func (p *parser) phpDirectory() string {
	start := p.tok.start
	switch w := p.word(); {
	case w == "__DIR__":
		p.advance()
	case strings.EqualFold(w, "dirname") && p.peekMark() == '(':
		p.advance()
		p.group()
	default:
		return ""
	}
	end := p.before.end
	p.take('.')
	if up := dirnames(strings.ToLower(p.src[start:end])) - 1; up > 0 {
		return strings.Repeat("../", up)
	}
	return "./"
}

// dirnames returns how many names of a path are removed by an expression of PHP in lower case, beginning with the path
// of the file. __file__ removes none, __dir__ one, and dirname(__dir__, 2) three.
func dirnames(expression string) int {
	expression = strings.TrimSpace(expression)
	if expression == "__dir__" {
		return 1
	}
	inner, ok := strings.CutPrefix(expression, "dirname")
	if !ok || len(inner) > maxName {
		return 0
	}
	inner = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(inner), "("), ")")
	levels := 1
	if comma := strings.LastIndexByte(inner, ','); comma >= 0 {
		if n, err := strconv.ParseUint(strings.TrimSpace(inner[comma+1:]), 10, 8); err == nil {
			levels, inner = int(n), inner[:comma]
		}
	}
	return levels + dirnames(inner)
}

// closeGroup skips the rest of a group that is open.
func (p *parser) closeGroup() {
	for depth := 1; !p.done(); p.advance() {
		if p.tok.kind == aMark {
			if depth += nesting(p.tok.mark); depth == 0 {
				p.advance()
				return
			}
		}
	}
}
