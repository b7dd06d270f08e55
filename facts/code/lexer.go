package code

import (
	"strings"
)

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	endOfFile tokenKind = iota
	aWord               // an identifier or keyword
	aText               // a string, a character, a regular expression, an element of JSX
	aNumber
	aMark // one byte of punctuation
)

// token is a word, a literal or a mark in a source file.
type token struct {
	kind       tokenKind
	mark       byte // the byte, if the kind is aMark
	first      bool // the token is the first of its line
	glued      bool // no space is before the token
	start, end int
	line       int // 1-based
	lineAt     int // offset of the beginning of the line
}

// syntax describes the tokens of a language.
type syntax struct {
	letters    string   // allowed in identifiers, besides letters, digits and underscores
	line       []string // texts that begin a comment up to the end of the line
	block      [2]string
	nested     bool // block comments contain block comments
	quotes     []quote
	directives bool // lines with # are preprocessor directives
	separated  bool // numbers may have single quotes: 1'000
	jsx        bool
	// special reads syntax that the other fields do not describe. The lexer calls special if a token may begin and the
	// next byte is in specials.
	specials string
	special  func(l *lexer) reading
	// prefix reads a string with the given word as its prefix, and reports whether there is such a string. The lexer
	// calls prefix if a byte of specials follows the word.
	prefix func(l *lexer, word string) bool
}

// quote is a kind of string literal.
type quote struct {
	open, close string
	raw         bool   // backslashes mean nothing
	doubled     bool   // a doubled closing quote stands for the quote itself
	lines       bool   // the string may span lines
	code        string // the text that begins embedded code, such as ${
}

// reading says what the function special of a syntax has read.
type reading uint8

const (
	nothing reading = iota // the byte is a mark
	blank                  // a comment
	literal                // a text
	name                   // a word
)

// lexer splits a source file into tokens. Time and memory are linear in the length of the file, whatever the file
// contains.
type lexer struct {
	src      string
	syntax   *syntax
	pos      int
	line     int
	lineAt   int
	fresh    bool // no token has been read in this line
	last     token
	class    [256]uint8
	nested   int // depth of code embedded in strings
	failed   int // elements of JSX that had no end
	elements int // enclosing elements of JSX

	heredocs []heredoc // here-documents with text that begins in the next line
	opaque   int       // depth of bodies; in a body, only the first branch of a conditional directive is read
	scan     *Scan
}

// The lexer puts each byte of source code into one of these classes.
const (
	other uint8 = iota
	space
	newline
	letter
	digit
	special
)

// maxNested is the max depth of code that is embedded in strings.
const maxNested = 40

func newLexer(src string, s *syntax, scan *Scan) lexer {
	l := lexer{src: src, syntax: s, line: 1, fresh: true, scan: scan}
	for c := range 256 {
		switch b := byte(c); {
		case b == '\n':
			l.class[c] = newline
		case b <= ' ' || b == 0x7f:
			l.class[c] = space
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', b == '_', b >= 0x80:
			l.class[c] = letter
		case '0' <= b && b <= '9':
			l.class[c] = digit
		}
	}
	for i := range len(s.letters) {
		l.class[s.letters[i]] = letter
	}
	for i := range len(s.specials) {
		l.class[s.specials[i]] = special
	}
	if strings.HasPrefix(src, "\ufeff") {
		l.pos = 3
	}
	if strings.HasPrefix(src[l.pos:], "#!") {
		l.toLineEnd()
	}
	return l
}

// next returns the next token.
func (l *lexer) next() token {
	end := l.pos
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		switch l.class[c] {
		case space:
			l.pos++
			continue
		case newline:
			l.newLine()
			continue
		case letter:
			at := l.begin(end)
			l.word()
			if l.pos < len(l.src) && l.syntax.prefix != nil && l.class[l.src[l.pos]] == special &&
				l.syntax.prefix(l, l.src[at.start:l.pos]) {
				return l.end(at, aText)
			}
			return l.end(at, aWord)
		case digit:
			return l.give(aNumber, end, l.number)
		case special:
			at := l.begin(end)
			switch l.syntax.special(l) {
			case blank:
				continue
			case literal:
				return l.end(at, aText)
			case name:
				return l.end(at, aWord)
			}
		}
		if l.comment(c) {
			continue
		}
		at := l.begin(end)
		if l.text(c) {
			return l.end(at, aText)
		}
		if c == '#' && l.syntax.directives && l.fresh {
			l.directive()
			continue
		}
		l.pos++
		return l.end(at, aMark)
	}
	at := l.begin(end)
	return l.end(at, endOfFile)
}

// begin returns a token that begins at the current position. end is the end of the previous token.
func (l *lexer) begin(end int) token {
	return token{start: l.pos, line: l.line, lineAt: l.lineAt, first: l.fresh, glued: end == l.pos}
}

// end sets the kind of a token, and ends the token at the current position.
func (l *lexer) end(t token, kind tokenKind) token {
	t.kind, t.end = kind, l.pos
	if kind == aMark {
		t.mark = l.src[t.start]
	}
	l.fresh = false
	l.last = t
	return t
}

func (l *lexer) give(kind tokenKind, end int, read func()) token {
	at := l.begin(end)
	read()
	return l.end(at, kind)
}

// newLine skips the end of a line, and the here-documents that begin after it.
func (l *lexer) newLine() {
	l.pos++
	l.line++
	l.lineAt = l.pos
	l.fresh = true
	if l.heredocs != nil {
		l.passHeredocs()
	}
}

// pass moves to the given position. The position must not be before the current position.
func (l *lexer) pass(to int) {
	if n := strings.Count(l.src[l.pos:to], "\n"); n > 0 {
		l.line += n
		l.lineAt = l.pos + strings.LastIndexByte(l.src[l.pos:to], '\n') + 1
	}
	l.pos = to
}

// toLineEnd moves to the end of the line.
func (l *lexer) toLineEnd() {
	if i := strings.IndexByte(l.src[l.pos:], '\n'); i >= 0 {
		l.pos += i
	} else {
		l.pos = len(l.src)
	}
}

// lineEnd returns the end of the line that contains a position.
func (l *lexer) lineEnd(pos int) int {
	if i := strings.IndexByte(l.src[pos:], '\n'); i >= 0 {
		return pos + i
	}
	return len(l.src)
}

func (l *lexer) word() {
	for l.pos++; l.pos < len(l.src); l.pos++ {
		if c := l.class[l.src[l.pos]]; c != letter && c != digit {
			return
		}
	}
}

func (l *lexer) number() {
	for l.pos++; l.pos < len(l.src); l.pos++ {
		switch c := l.src[l.pos]; {
		case l.class[c] == letter || l.class[c] == digit:
		case c == '.' && l.pos+1 < len(l.src) && l.class[l.src[l.pos+1]] == digit:
		case c == '\'' && l.syntax.separated && l.pos+1 < len(l.src) && l.class[l.src[l.pos+1]] >= letter:
		default:
			return
		}
	}
}

// has reports whether the text at the current position begins with a string.
func (l *lexer) has(s string) bool { return strings.HasPrefix(l.src[l.pos:], s) }

// peek returns the byte that is n bytes after the current position, or 0 if the text ends before it.
func (l *lexer) peek(n int) byte {
	if l.pos+n < len(l.src) {
		return l.src[l.pos+n]
	}
	return 0
}

// comment skips a comment that begins with the given byte, and reports whether there is such a comment.
func (l *lexer) comment(c byte) bool {
	for _, open := range l.syntax.line {
		if c == open[0] && l.has(open) {
			from := l.pos
			l.toLineEnd()
			l.note(l.src[from:l.pos], l.line)
			return true
		}
	}
	open, closing := l.syntax.block[0], l.syntax.block[1]
	if open == "" || c != open[0] || !l.has(open) {
		return false
	}
	from, line := l.pos, l.line
	l.pass(l.blockEnd(open, closing))
	l.note(l.src[from:l.pos], line)
	return true
}

// blockEnd returns the end of the block comment that begins at the current position.
func (l *lexer) blockEnd(open, closing string) int {
	pos, depth := l.pos+len(open), 1
	for depth > 0 {
		end := strings.Index(l.src[pos:], closing)
		if end < 0 {
			return len(l.src)
		}
		if l.syntax.nested {
			if inner := strings.Index(l.src[pos:pos+end], open); inner >= 0 {
				pos += inner + len(open)
				depth++
				continue
			}
		}
		pos += end + len(closing)
		depth--
	}
	return pos
}

// note keeps the annotations of a comment.
func (l *lexer) note(comment string, line int) {
	const word = "beadloom:"
	for {
		i := strings.Index(comment, word)
		if i < 0 {
			return
		}
		line += strings.Count(comment[:i], "\n")
		comment = comment[i+len(word):]
		pairs := strings.ReplaceAll(firstLine(comment[:min(len(comment), maxName)]), ",", " ")
		for _, pair := range strings.Fields(pairs) {
			key, node, ok := strings.Cut(pair, "=")
			if !ok || key == "" || node == "" || len(l.scan.Notes) >= maxNotes || len(pair) > maxName {
				break
			}
			l.scan.Notes = append(l.scan.Notes, Note{strings.Clone(key), strings.Clone(node), line})
		}
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.TrimSuffix(s, "\r")
}
