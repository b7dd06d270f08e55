package code

import "strings"

var javascriptSyntax = syntax{
	letters: "$#", line: []string{"//"}, block: [2]string{"/*", "*/"},
	quotes:   []quote{{open: `"`, close: `"`}, {open: "'", close: "'"}, {open: "`", close: "`", lines: true, code: "${"}},
	specials: "/<", special: javascriptSpecial,
}

var jsxSyntax = func() syntax {
	s := javascriptSyntax
	s.jsx = true
	return s
}

// maxRegexp is the max length of a regular expression in a source file.
const maxRegexp = 5000

// javascriptSpecial reads regular expressions and elements of JSX.
func javascriptSpecial(l *lexer) reading {
	if l.src[l.pos] == '<' {
		if l.syntax.jsx && l.failed < 1 && l.operand() && l.element() {
			return literal
		}
		return nothing
	}
	if c := l.peek(1); c == '/' || c == '*' || !l.operand() {
		return nothing
	}
	class := false
	for i := l.pos + 1; i < min(len(l.src), l.pos+maxRegexp); i++ {
		switch c := l.src[i]; {
		case c == '\n':
			return nothing
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			l.pos = i + 1
			return literal
		}
	}
	return nothing
}

// operand reports whether the lexer expects an operand after the last token, and not an operator.
func (l *lexer) operand() bool {
	t := l.last
	switch t.kind {
	case aMark:
		return t.mark != ')' && t.mark != ']' && (t.mark != '}' || l.fresh)
	case aWord:
		switch l.src[t.start:t.end] {
		case "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "instanceof", "do", "else",
			"yield", "await", "default":
			return true
		}
		return false
	}
	return t.kind == endOfFile
}

// scanJavaScript reads JavaScript and TypeScript without JSX.
func scanJavaScript(src string, scan *Scan) { scanScript(src, &javascriptSyntax, scan) }

// scanJSX reads JavaScript and TypeScript with JSX.
func scanJSX(src string, scan *Scan) {
	s := jsxSyntax()
	scanScript(src, &s, scan)
}

// scanScript reads functions, classes with their methods, interfaces, types, enumerations, namespaces, and the
// constants and variables of the file.
func scanScript(src string, s *syntax, scan *Scan) {
	p := newParser(src, s, scan)
	p.inside = (*parser).requires
	for !p.done() {
		p.script()
		p.advance() // an unmatched closing bracket
	}
}

// requires reads require("x") and import("x"), and reports whether the current word was require or import.
func (p *parser) requires() bool {
	w := p.word()
	if w != "require" && w != "import" || p.follows('.') {
		return false
	}
	line := p.tok.line
	if p.advance(); !p.at('(') {
		return true
	}
	if p.peekText() {
		p.advance()
		path, ok := p.value()
		if p.advance(); ok && (p.at(')') || p.at(',')) {
			p.imports(path, line)
		}
		p.opaqueRest()
	}
	return true
}

// opaqueRest skips the remaining arguments of a call.
func (p *parser) opaqueRest() {
	for depth := 1; !p.done(); {
		if p.tok.kind == aMark {
			if depth += nesting(p.tok.mark); depth == 0 {
				p.advance()
				return
			}
		} else if p.tok.kind == aWord && p.requires() {
			continue
		}
		p.advance()
	}
}

// peekText reports whether a string or a regular expression may follow the current token.
func (p *parser) peekText() bool {
	c := p.peekMark()
	return c == '"' || c == '\'' || c == '`' || c == '/'
}

// script reads the declarations of a file or namespace.
func (p *parser) script() {
	for !p.done() && !p.closes() {
		p.scriptStatement()
	}
}

func (p *parser) scriptStatement() {
	line := p.tok.line
	for {
		switch p.word() {
		case "export", "declare", "default", "async", "abstract":
			if p.peekMark() == ':' || p.peekMark() == '.' || p.peekMark() == '(' && p.word() != "default" {
				p.scriptExpression()
				return
			}
			exported := p.word() == "export"
			fallback := p.word() == "default"
			p.advance()
			types := p.word() == "type" && (p.peekMark() == '{' || p.peekMark() == '*')
			if exported && (p.at('*') || p.at('{') || types) {
				p.scriptFrom(line)
				return
			}
			if fallback && !p.declares() {
				p.scriptExpression()
				return
			}
			continue
		}
		break
	}
	if p.at('@') {
		p.decorator()
		return
	}
	p.scriptDeclaration(line)
}

// declares reports whether a declaration may begin at the current word.
func (p *parser) declares() bool {
	switch p.word() {
	case "function", "class", "interface", "async", "abstract", "enum":
		return true
	}
	return false
}

func (p *parser) scriptDeclaration(line int) {
	w, next := p.word(), p.peekMark()
	named := p.class[next] == letter
	switch {
	case w == "import":
		p.scriptImport(line)
	case w == "function":
		p.scriptFunction(line)
	case w == "class":
		p.scriptClass(line)
	case w == "interface" && named:
		p.scriptType(Interface, line)
	case w == "enum" && named:
		p.scriptType(Enum, line)
	case w == "type" && named:
		p.scriptAlias(line)
	case w == "const" && strings.HasPrefix(strings.TrimLeft(p.src[p.pos:min(len(p.src), p.pos+20)], " "), "enum "):
		p.advance()
		p.scriptType(Enum, line)
	case (w == "namespace" || w == "module") && (named || next == '"' || next == '\''), w == "global" && next == '{':
		p.scriptModule(line)
	case w == "const", w == "let" && (named || next == '[' || next == '{'), w == "var", w == "using" && named:
		p.scriptVariables(line)
	default:
		p.scriptExpression()
	}
}

func (p *parser) decorator() {
	p.advance()
	if p.at('(') {
		p.group()
		return
	}
	p.qualified(".")
	if p.at('<') {
		p.angles()
	}
	if p.at('(') && p.tok.glued {
		p.group()
	}
}

// scriptFrom reads the rest of export {a} from "x".
func (p *parser) scriptFrom(line int) {
	p.takeWord("type")
	if p.at('{') {
		p.group()
	} else if p.take('*') && p.takeWord("as") {
		p.advance()
	}
	if p.takeWord("from") {
		if path, ok := p.value(); ok {
			p.imports(path, line)
		}
		p.advance()
		p.scriptAttributes()
	}
}

// scriptAttributes skips the attributes of an import: with { type: "json" }.
func (p *parser) scriptAttributes() {
	if w := p.word(); (w == "with" || w == "assert") && p.peekMark() == '{' {
		p.advance()
		p.group()
	}
}

func (p *parser) scriptImport(line int) {
	if c := p.peekMark(); c == '(' || c == '.' {
		p.scriptExpression()
		return
	}
	p.advance()
	for !p.done() && !p.at(';') {
		if path, ok := p.value(); ok {
			p.imports(path, line)
			p.advance()
			p.scriptAttributes()
			return
		}
		if p.at('=') { // import x = require("x")
			p.scriptExpression()
			return
		}
		if p.tok.first && p.tok.kind == aWord && p.before.kind == aWord && p.word() != "from" {
			return
		}
		p.pass()
	}
}

func (p *parser) scriptFunction(line int) {
	p.advance()
	p.take('*')
	name := p.word()
	if name == "" {
		name = "default"
	} else {
		p.advance()
	}
	s := p.symbol(Function, name, line)
	p.scriptBody()
	p.ends(s)
}

// scriptBody skips type parameters, parameters and a result type, and also a body if there is a body.
func (p *parser) scriptBody() {
	if p.at('<') {
		p.angles()
	}
	if !p.at('(') {
		return
	}
	p.group()
	if p.take(':') {
		p.scriptTypeOf()
	}
	if p.at('{') {
		p.group()
		return
	}
	p.take(';')
}

// scriptTypeOf skips a type. The type ends at a bracket that may begin a body.
func (p *parser) scriptTypeOf() {
	for expected := true; !p.done(); {
		switch {
		case p.at('{') && !expected, p.at(';'), p.at(','), p.closes(), p.at('=') && p.peek(0) != '>':
			return
		case p.at('<'):
			p.angles()
			expected = false
			continue
		case p.tok.first && !expected && !p.atAny("|&.?:=[<") && p.tok.kind != endOfFile:
			return
		case p.tok.kind == aWord:
			if p.requires() {
				expected = false
				continue
			}
			switch p.word() {
			case "is", "keyof", "typeof", "infer", "asserts", "readonly", "extends", "unique", "new", "in":
				expected = true
			default:
				expected = false
			}
		case p.atAny("|&=?:.>"):
			expected = true
		case p.opens():
			p.group()
			expected = false
			continue
		default:
			expected = false
		}
		p.advance()
	}
}
