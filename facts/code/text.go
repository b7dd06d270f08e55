package code

import "strings"

// text skips a string that begins with the given byte, and reports whether there is such a string.
func (l *lexer) text(c byte) bool {
	for i := range l.syntax.quotes {
		if q := &l.syntax.quotes[i]; c == q.open[0] && l.has(q.open) {
			l.pos += len(q.open)
			l.quoted(q)
			return true
		}
	}
	return false
}

// quoted skips the remaining part of a string.
func (l *lexer) quoted(q *quote) {
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		switch {
		case c == q.close[0] && l.has(q.close):
			l.pos += len(q.close)
			if !q.doubled || !l.has(q.close) {
				return
			}
			l.pos += len(q.close)
		case q.code != "" && c == q.code[0] && l.has(q.code):
			l.pos += len(q.code)
			l.code(closing(q.code[len(q.code)-1]))
		case c == '\\' && !q.raw:
			l.pos++
			if l.pos < len(l.src) && l.src[l.pos] != '\n' {
				l.pos++
			} else {
				l.passLine()
			}
		case c == '\n':
			if !q.lines {
				return
			}
			l.passLine()
		default:
			l.pos++
		}
	}
}

// passLine skips the end of a line inside of a text.
func (l *lexer) passLine() {
	if l.pos < len(l.src) {
		l.pos++
		l.line++
		l.lineAt = l.pos
	}
}

func closing(open byte) byte {
	switch open {
	case '(':
		return ')'
	case '[':
		return ']'
	case '<':
		return '>'
	case '{', '$':
		return '}'
	}
	return open
}

// code skips embedded code and the mark that closes it.
func (l *lexer) code(closing byte) {
	if l.nested >= maxNested {
		return
	}
	l.nested++
	last := l.last
	l.last = token{}
	for depth := 0; ; {
		t := l.next()
		if t.kind == endOfFile {
			break
		}
		if t.kind != aMark {
			continue
		}
		if depth == 0 && t.mark == closing {
			break
		}
		depth = max(0, depth+nesting(t.mark))
	}
	l.nested--
	l.last = last
}

// nesting returns the change of the bracket depth at a mark.
func nesting(mark byte) int {
	switch mark {
	case '(', '[', '{':
		return 1
	case ')', ']', '}':
		return -1
	}
	return 0
}

// rawText skips a text up to its closing string, or up to the end of the source if there is no closing string.
func (l *lexer) rawText(end string) {
	if i := strings.Index(l.src[l.pos:], end); i >= 0 {
		l.pass(l.pos + i + len(end))
	} else {
		l.pass(len(l.src))
	}
}

// heredoc is a here-document. Its text begins in the next line and ends with a word on a separate line.
type heredoc struct {
	word     string
	indented bool // the word may be indented
	loose    bool // other text may follow the closing word in its line, as in PHP
}

const maxHeredocs = 20

// passHeredocs skips the here-documents that were opened in the previous line.
func (l *lexer) passHeredocs() {
	list := l.heredocs
	l.heredocs = nil
	for _, h := range list {
		for l.pos < len(l.src) {
			end := l.lineEnd(l.pos)
			line := strings.TrimSuffix(l.src[l.pos:end], "\r")
			if h.indented {
				line = strings.TrimLeft(line, " \t")
			}
			if h.loose && strings.HasPrefix(line, h.word) && (len(line) == len(h.word) || l.class[line[len(h.word)]] != letter) {
				l.pos = end - len(l.src[l.pos:end]) + strings.Index(l.src[l.pos:end], h.word) + len(h.word)
				break
			}
			l.pos = min(end+1, len(l.src))
			l.line++
			l.lineAt = l.pos
			if line == h.word {
				break
			}
		}
	}
}
