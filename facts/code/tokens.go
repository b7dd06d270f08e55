package code

import "strings"

// Token is an identifier, keyword, number, string literal, punctuation mark or operator of a source file. Comments are
// not tokens.
type Token struct {
	Text  string
	Line  int  // 1-based
	Word  bool // an identifier or a keyword
	First bool // the first token of its line
}

// Tokens returns the tokens of a file, and reports whether its language is supported. It leaves out a Python string
// that is a statement of its own, because such a string is documentation. Such a string at the end of the
// file is kept.
func Tokens(file string, content []byte) ([]Token, bool) {
	s := syntaxOf(file)
	if s == nil {
		return nil, false
	}
	var scan Scan
	l := newLexer(string(content), s, &scan)
	var list []Token
	depth := 0
	for {
		t := l.next()
		if t.kind == endOfFile {
			return list, true
		}
		if t.kind == aMark {
			depth = max(0, depth+nesting(t.mark))
		}
		n := len(list)
		if n > 0 && t.kind == aMark && t.glued && isOperator(l.src[t.start]) && isOperator(list[n-1].Text[0]) {
			list[n-1].Text += l.src[t.start:t.end]
			continue
		}
		if n > 0 && t.first && depth == 0 && languageOf(file) == Python && list[n-1].isAlone() {
			list = list[:n-1]
		}
		list = append(list, Token{l.src[t.start:t.end], t.line, t.kind == aWord, t.first})
	}
}

// isOperator reports whether a mark can be part of an operator.
func isOperator(mark byte) bool { return strings.IndexByte("<>=!+-*/%&|^:?~", mark) >= 0 }

// isAlone reports whether a token is a string at the beginning of a line.
func (t Token) isAlone() bool {
	return t.First && !t.Word && (t.Text[0] == '"' || t.Text[0] == '\'')
}

// syntaxOf returns the syntax of a file's language, nil if the language is not supported.
func syntaxOf(file string) *syntax {
	switch languageOf(file) {
	case Go:
		return &goSyntax
	case Python:
		return &pythonSyntax
	case JavaScript, TypeScript:
		return &javascriptSyntax
	case Java:
		return &javaSyntax
	case Kotlin:
		return &kotlinSyntax
	case Rust:
		return &rustSyntax
	case C, CPlus:
		s := cSyntax
		s.directives = false
		return &s
	case CSharp:
		return &csharpSyntax
	case Ruby:
		return &rubySyntax
	case PHP:
		return &phpSyntax
	case Swift:
		return &swiftSyntax
	case Scala:
		return &scalaSyntax
	}
	return nil
}
