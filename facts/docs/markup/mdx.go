package markup

import "bytes"

// maxNesting is the max depth of brackets.
const maxNesting = 200

// skipMDX returns the last line of the JavaScript, JSX tag or expression that begins in line n. It returns 0 if nothing
// of this kind begins there, or if text follows a tag or an expression on its last line. Text between two tags is
// Markdown. budget is the number of bytes that may still be read. skipMDX subtracts the number of bytes that it reads
// from budget.
func skipMDX(lines *Lines, n int, budget *int) int {
	line := lines.Line(n)
	if isModule(line) {
		return moduleEnd(lines, n, budget)
	}
	text := bytes.TrimLeft(line, " \t")
	if len(text) < 2 {
		return 0
	}
	s := script{lines: lines, line: n, at: len(line) - len(text) + 1, left: budget}
	switch next := text[1]; {
	case text[0] == '{' && s.expression('}'), text[0] == '<' && (isLetter(next) || next == '/' || next == '>') && s.tag():
	default:
		return 0
	}
	if len(bytes.TrimSpace(lines.Line(s.line)[s.at:])) > 0 {
		return 0
	}
	return s.line
}

// isModule reports whether a line begins an import or export, provided that no other block is open.
func isModule(line []byte) bool {
	return bytes.HasPrefix(line, []byte("import ")) || bytes.HasPrefix(line, []byte("export "))
}

// moduleEnd returns the last line of imports and exports. Imports and exports end at the next blank line outside of
// brackets.
func moduleEnd(lines *Lines, n int, left *int) int {
	s := script{lines: lines, line: n, left: left}
	closed := true
	for closed && s.line <= lines.Len() && len(bytes.TrimSpace(lines.Line(s.line))) > 0 {
		closed = s.statement()
	}
	if closed {
		return s.line - 1
	}
	for n < lines.Len() && len(bytes.TrimSpace(lines.Line(n+1))) > 0 {
		n++
	}
	return n
}

// script reads JavaScript and JSX. It finds only the ends of brackets, strings, comments and tags.
type script struct {
	lines *Lines
	line  int
	at    int // offset in the line
	depth int // depth of brackets
	left  *int
}

// peek returns the byte at the cursor. It returns a line feed at the end of a line, and 0 at the end of the text or of
// the budget.
func (s *script) peek() byte {
	if *s.left--; s.line > s.lines.Len() || *s.left < 0 {
		return 0
	}
	if line := s.lines.Line(s.line); s.at < len(line) {
		return max(line[s.at], 1)
	}
	return '\n'
}

func (s *script) skip() {
	if s.peek() == '\n' {
		s.line, s.at = s.line+1, 0
	} else {
		s.at++
	}
}

// statement reads up to the next line end outside of brackets, strings and comments. It reports false for broken code.
func (s *script) statement() bool {
	for {
		switch c := s.peek(); c {
		case 0:
			return true
		case '\n':
			s.skip()
			return true
		default:
			if !s.token() {
				return false
			}
		}
	}
}

// expression reads up to the bracket that closes the current bracket. It reports false for broken code, and for more
// than maxNesting nested brackets.
func (s *script) expression(end byte) bool {
	if s.depth++; s.depth > maxNesting {
		return false
	}
	defer func() { s.depth-- }()
	for {
		switch s.peek() {
		case 0:
			return false
		case end:
			s.at++
			return true
		}
		if !s.token() {
			return false
		}
	}
}

// token reads a string, a comment, a pair of brackets or one byte. It reports false for broken code.
func (s *script) token() bool {
	c := s.peek()
	s.skip()
	switch c {
	case '{':
		return s.expression('}')
	case '(':
		return s.expression(')')
	case '[':
		return s.expression(']')
	case '"', '\'', '`':
		return s.quoted(c)
	case '/':
		return s.comment()
	case '}', ')', ']':
		return false
	}
	return true
}

func (s *script) quoted(end byte) bool {
	for {
		c := s.peek()
		if c == 0 {
			return false
		}
		if c == '\n' && end == '\'' {
			return true // the quotation mark is an apostrophe
		}
		s.skip()
		switch {
		case c == end:
			return true
		case c == '\\':
			s.skip()
		case c == '$' && end == '`' && s.peek() == '{':
			s.at++
			if !s.expression('}') {
				return false
			}
		}
	}
}

func (s *script) comment() bool {
	switch s.peek() {
	case '/':
		s.at = len(s.lines.Line(s.line))
	case '*':
		for s.at++; ; s.skip() {
			if s.peek() == 0 {
				return false
			}
			if bytes.HasPrefix(s.lines.Line(s.line)[s.at:], []byte("*/")) {
				s.at += 2
				return true
			}
		}
	}
	return true
}

// tag reads up to the end of a JSX tag. It reports false for a tag without an end.
func (s *script) tag() bool {
	for {
		c := s.peek()
		if c == 0 || c == '<' {
			return false
		}
		s.skip()
		switch c {
		case '>':
			return true
		case '{':
			if !s.expression('}') {
				return false
			}
		case '"', '\'':
			if !s.quoted(c) {
				return false
			}
		}
	}
}
