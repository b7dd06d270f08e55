package code

import "strings"

// directive reads a preprocessor line: includes, macros and conditions. Code under #if 0 is left out. In a body, only
// the first branch of a condition is read. Otherwise brackets would not match: each branch may open a bracket, and
// the code after the condition closes only one of them.
func (l *lexer) directive() {
	line := l.line
	text := l.logicalLine()
	word, rest := directiveWord(text)
	switch word {
	case "include", "import", "include_next":
		l.include(rest, line)
	case "define":
		l.define(rest, line)
	case "if":
		if v := strings.TrimSpace(rest); v == "0" {
			l.skipBranch(true)
		}
	case "else", "elif", "elifdef", "elifndef":
		if l.opaque > 0 {
			l.skipBranch(false)
		}
	}
}

// logicalLine reads a line with its continuation lines. It returns their text up to the first comment. A comment
// between the sign # and the directive does not end the text.
func (l *lexer) logicalLine() string {
	from := l.pos
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == '\n':
			return l.src[from:l.pos]
		case c == '\\' && (l.peek(1) == '\n' || l.peek(1) == '\r' && l.peek(2) == '\n'):
			l.pos += strings.IndexByte(l.src[l.pos:], '\n')
			l.passLine()
		case c == '/' && l.peek(1) == '*':
			end := l.blockEnd("/*", "*/")
			text := l.src[from:l.pos]
			l.pass(end)
			if strings.TrimSpace(text) != "#" {
				l.logicalLine()
				return text
			}
		case c == '/' && l.peek(1) == '/':
			text := l.src[from:l.pos]
			l.toLineEnd()
			return text
		case c == '"':
			end := min(len(l.src), l.pos+1+maxName)
			if i := strings.IndexAny(l.src[l.pos+1:end], "\"\n"); i >= 0 && l.src[l.pos+1+i] == '"' {
				l.pos += i + 1
			}
			l.pos++
		default:
			l.pos++
		}
	}
	return l.src[from:]
}

// directiveWord splits a directive into its word and the text after the word.
func directiveWord(text string) (word, rest string) {
	text = strings.TrimLeft(strings.TrimPrefix(text, "#"), " \t")
	n := 0
	for n < len(text) && 'a' <= text[n] && text[n] <= 'z' || n < len(text) && text[n] == '_' {
		n++
	}
	return text[:n], text[n:]
}

// include adds an import. If the compiler first searches the directory of the file, Import.Names has the text
// "quoted".
func (l *lexer) include(rest string, line int) {
	rest = strings.TrimSpace(rest)
	if len(rest) < 3 || len(l.scan.Imports) >= maxImports {
		return
	}
	end := byte('"')
	if rest[0] == '<' {
		end = '>'
	} else if rest[0] != '"' {
		return
	}
	if i := strings.IndexByte(rest[1:], end); i > 0 && i <= maxName {
		imp := Import{Path: strings.Clone(rest[1 : 1+i]), Line: line}
		if end == '"' {
			imp.Names = []string{"quoted"}
		}
		l.scan.Imports = append(l.scan.Imports, imp)
	}
}

// define adds a macro that has a value.
func (l *lexer) define(rest string, line int) {
	rest = strings.TrimLeft(rest, " \t")
	n := 0
	for n < len(rest) && (l.class[rest[n]] == letter || l.class[rest[n]] == digit) {
		n++
	}
	if n == 0 || n > maxName || strings.TrimSpace(rest[n:]) == "" || len(l.scan.Symbols) >= maxSymbols {
		return
	}
	l.scan.Symbols = append(l.scan.Symbols, Symbol{Name: strings.Clone(rest[:n]), Kind: Macro, Line: line, End: l.line})
}

// skipBranch skips the rest of a condition. If stopAtNext is set, it skips only the current branch. Otherwise it still
// reads the includes in the skipped branches.
func (l *lexer) skipBranch(stopAtNext bool) {
	for depth := 0; l.pos < len(l.src); {
		l.toLineEnd()
		l.passLine()
		for l.pos < len(l.src) && l.class[l.src[l.pos]] == space {
			l.pos++
		}
		if l.peek(0) != '#' {
			continue
		}
		line := l.line
		word, rest := directiveWord(l.src[l.pos:l.lineEnd(l.pos)])
		switch word {
		case "if", "ifdef", "ifndef":
			depth++
		case "endif":
			if depth--; depth < 0 {
				l.toLineEnd()
				return
			}
		case "else", "elif", "elifdef", "elifndef":
			if stopAtNext && depth == 0 {
				l.toLineEnd()
				return
			}
		case "include":
			if !stopAtNext {
				l.include(rest, line)
			}
		}
	}
}
