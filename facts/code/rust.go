package code

import (
	"slices"
	"strconv"
	"strings"
)

var rustSyntax = syntax{
	line: []string{"//"}, block: [2]string{"/*", "*/"}, nested: true,
	quotes:   []quote{{open: `"`, close: `"`, lines: true}},
	specials: "'\"#", special: rustCharacter, prefix: rustPrefix,
}

// rustCharacter reads a character literal, and distinguishes it from a lifetime.
func rustCharacter(l *lexer) reading {
	if l.src[l.pos] != '\'' {
		return nothing
	}
	if l.peek(1) == '\\' {
		if end := strings.IndexByte(l.src[min(len(l.src), l.pos+3):min(len(l.src), l.pos+20)], '\''); end >= 0 {
			l.pos += 3 + end + 1
			return literal
		}
		return nothing
	}
	for i := 2; i <= 5; i++ {
		if l.peek(i) == '\'' && l.peek(1) != '\'' && (i == 2 || l.peek(1) >= 0x80) {
			l.pos += i + 1
			return literal
		}
	}
	return nothing
}

// rustPrefix reads a string or byte that follows a prefix, as in r#"a"#, b'a' and c"a". The parameter word may be such
// a prefix. rustPrefix reports whether there is such a string or byte.
func rustPrefix(l *lexer, word string) bool {
	switch word {
	case "b", "c":
		if l.peek(0) == '"' {
			return l.text('"')
		}
		return word == "b" && rustCharacter(l) == literal
	case "r", "br", "cr":
		n := 0
		for l.peek(n) == '#' && n < 20 {
			n++
		}
		if l.peek(n) != '"' {
			return false
		}
		end := `"` + l.src[l.pos:l.pos+n]
		l.pos += n + 1
		l.rawText(end)
		return true
	}
	return false
}

// scanRust reads Rust: functions, methods, types, traits, modules, constants, statics and macros. The parent of a
// method is the type of its impl, or its trait. A use declaration of several names gives several imports. Paths such
// as crate::a::f() or other::f() also occur outside of use declarations. Such a path is an import if it leads to
// another module. Each of these paths gives one import per file. See rustImport for imports inside inline modules.
func scanRust(src string, scan *Scan) {
	p := newParser(src, &rustSyntax, scan)
	p.inside = (*parser).rustInside
	for !p.done() {
		p.rustItems(Function)
		p.advance() // an unmatched closing bracket
	}
	scan.mentions = withoutUsed(scan.mentions, scan.Imports)
}

// rustInside reads a use declaration or a path inside of text that the parser skips, such as the body of a function. It
// reports whether there is such a declaration or path.
func (p *parser) rustInside() bool {
	if p.rustPath() {
		return true
	}
	if p.word() != "use" || !p.follows(';') && !p.follows('{') && !p.follows('}') && !p.follows(']') {
		return false
	}
	line := p.tok.line
	p.advance()
	p.rustUse("", line, 0)
	return true
}

// rustPath reads a path such as crate::a::f() or other::f(), and reports whether there is such a path. A path that
// begins with crate is an import. A path that begins with super is an import if it leads out of the inline modules
// around it. A path that begins with another word may lead to a crate or module. addMentions decides this.
func (p *parser) rustPath() bool {
	first := p.word()
	if first == "" || !strings.HasPrefix(p.src[p.tok.end:], "::") || p.follows('$') || p.insidePath() ||
		p.beforeWord() == "in" && (first == "crate" || first == "super") {
		return false
	}
	if first != "crate" && first != "super" && !isRustModule(first) {
		return false
	}
	line, up := p.tok.line, 0
	path := first
	for last := first; strings.HasPrefix(p.src[p.tok.end:], "::"); path += "::" + last {
		if last == "super" {
			up++
		}
		p.advance()
		p.advance()
		p.advance()
		if last = p.word(); last == "" {
			break // type arguments follow
		}
	}
	if p.word() != "" {
		p.advance()
	}
	if path == first || p.paths[path] || len(path) > maxName || first == "super" && up <= p.modules {
		return true
	}
	if p.paths == nil {
		p.paths = map[string]bool{}
	}
	p.paths[path] = true
	if first == "crate" || first == "super" {
		p.rustImport(path, line)
	} else if len(p.scan.mentions) < maxImports {
		p.scan.mentions = append(p.scan.mentions, mention{path, line, p.modules})
	}
	return true
}

// insidePath reports whether the current token follows the two colons of a path.
func (p *parser) insidePath() bool {
	return p.follows(':') && p.before.start > 0 && p.src[p.before.start-1] == ':'
}

// isRustModule reports whether a word at the beginning of a path may name a module, or a crate of the repository.
func isRustModule(word string) bool {
	switch word {
	case "self", "std", "core", "alloc", "proc_macro", "str", "char", "bool", "usize", "isize", "u8", "u16", "u32", "u64",
		"u128", "i8", "i16", "i32", "i64", "i128", "f32", "f64":
		return false
	}
	return word[0] >= 'a' && word[0] <= 'z' || word[0] == '_'
}

// withoutUsed drops mentions that begin with a name from a use declaration, because the use declaration is an import
// already.
func withoutUsed(list []mention, imports []Import) []mention {
	used := map[string]bool{}
	for _, i := range imports {
		if _, name, found := cutLast(i.Path, "::"); found {
			used[name] = true
		}
	}
	return slices.DeleteFunc(list, func(m mention) bool { return used[firstPart(m.path, "::")] })
}

// cutLast cuts a text around the last separator.
func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}

// rustImport adds an import. For an import inside inline modules, Import.Names has one text: the number of these
// modules. resolveRust needs this number for paths that begin with self or super.
func (p *parser) rustImport(path string, line int) {
	if p.modules > 0 {
		p.imports(path, line, strconv.Itoa(p.modules))
		return
	}
	p.imports(path, line)
}

// rustPass skips the current token, path or group.
func (p *parser) rustPass() {
	if p.tok.kind != aWord || !p.rustPath() {
		p.pass()
	}
}

// rustItems reads items. Functions get the given kind.
func (p *parser) rustItems(functions Kind) {
	line, started := 0, false
	for !p.done() && !p.closes() {
		if p.at('#') { // an attribute
			p.advance()
			p.take('!')
			if p.at('[') {
				p.group()
			}
			continue
		}
		if !started {
			line, started = p.tok.line, true
		}
		if p.rustItem(functions, line) {
			started = false
			continue
		}
		if p.at(';') || p.at('{') || p.at('}') {
			started = false
		}
		p.rustPass()
	}
}

// rustItem reads an item that begins with the current word, and reports whether there is such an item.
func (p *parser) rustItem(functions Kind, line int) bool {
	next := p.peekWord()
	switch w := p.word(); w {
	case "fn":
		p.rustNamed(functions, line)
	case "struct":
		p.rustNamed(Struct, line)
	case "enum":
		p.rustNamed(Enum, line)
	case "union":
		if next == "" || next == "fn" {
			return false
		}
		p.rustNamed(Struct, line)
	case "type":
		p.rustNamed(Type, line)
	case "const":
		if next == "fn" || next == "unsafe" || next == "extern" || next == "async" || p.peekMark() == '{' {
			return false
		}
		p.rustNamed(Const, line)
	case "static":
		if next == "mut" {
			p.advance()
		}
		p.rustNamed(Var, line)
	case "trait":
		p.rustBody(Trait, Method, line)
	case "mod":
		p.rustBody(Module, Function, line)
	case "impl":
		p.rustImpl()
	case "use":
		p.advance()
		p.rustUse("", line, 0)
		p.take(';')
	case "extern":
		if next != "crate" {
			return p.rustExtern(functions)
		}
		p.advance()
		p.advance()
		p.imports(p.word(), line)
		p.javaRest()
	case "macro_rules":
		p.advance()
		p.take('!')
		s := p.symbol(Macro, p.word(), line)
		p.advance()
		p.rustPass()
		p.ends(s)
	default:
		return false
	}
	return true
}

// rustExtern reads an extern block, which declares functions of another language. If extern is only a modifier of a
// function, rustExtern skips the modifier. It always returns true.
func (p *parser) rustExtern(functions Kind) bool {
	p.advance()
	if p.tok.kind == aText {
		p.advance()
	}
	if !p.at('{') {
		return true // extern is a modifier of the function that follows
	}
	p.within("", func(p *parser) { p.rustItems(functions) })
	return true
}

// rustNamed reads a named item up to its semicolon or body.
func (p *parser) rustNamed(kind Kind, line int) {
	p.advance()
	name := strings.TrimPrefix(p.word(), "r#")
	p.advance()
	s := -1
	if name != "_" {
		s = p.symbol(kind, name, line)
	}
	for !p.done() && !p.closes() {
		if p.take(';') {
			break
		}
		if p.at('{') && kind != Const && kind != Var && kind != Type {
			p.group()
			break
		}
		p.rustPass()
	}
	p.ends(s)
}

// rustBody reads a trait or a module.
func (p *parser) rustBody(kind, functions Kind, line int) {
	p.advance()
	name := strings.Clone(p.word())
	p.advance()
	s := p.symbol(kind, name, line)
	for !p.done() && !p.closes() && !p.at('{') && !p.at(';') {
		p.rustPass()
	}
	if p.at('{') {
		if kind == Module {
			p.modules++
		}
		p.within(name, func(p *parser) { p.rustItems(functions) })
		if kind == Module {
			p.modules--
		}
	} else {
		p.take(';')
	}
	p.ends(s)
}

// rustImpl reads impl Trait for Type { ... }. The parent of its methods is the type.
func (p *parser) rustImpl() {
	p.advance()
	if p.at('<') {
		p.angles()
	}
	name := ""
	for !p.done() && !p.closes() && !p.at('{') && !p.at(';') {
		switch w := p.word(); {
		case w == "for":
			name = ""
		case w == "where":
			for !p.done() && !p.at('{') && !p.at(';') {
				p.rustPass()
			}
			continue
		case p.at('<'):
			p.angles()
			continue
		case p.rustPath():
			name = p.beforeWord()
			continue
		case w != "" && w != "dyn" && w != "mut" && w != "const":
			name = w
		}
		p.rustPass()
	}
	if p.at('{') {
		p.within(name, func(p *parser) { p.rustItems(Method) })
	} else {
		p.take(';')
	}
}
