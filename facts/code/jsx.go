package code

import "strings"

// element skips an element of JSX with its content, and reports whether there is an element.
func (l *lexer) element() bool {
	if c := l.peek(1); c != '>' && (c|0x20 < 'a' || c|0x20 > 'z') && c != '_' && c != '$' {
		return false
	}
	if l.generic() {
		return false
	}
	saved := *l
	l.elements++
	defer func() { l.elements = saved.elements }()
	for depth := 0; l.pos < len(l.src); {
		switch c := l.src[l.pos]; {
		case c == '<' && l.peek(1) == '/':
			l.pass(min(len(l.src), l.pos+1+max(0, strings.IndexByte(l.src[l.pos:], '>'))))
			if depth--; depth <= 0 {
				return true
			}
		case c == '<':
			if !l.tag() {
				depth++
			}
			if depth == 0 {
				return true
			}
		case c == '{':
			l.pos++
			l.code('}')
		case c == '\n':
			l.passLine()
		default:
			l.pos++
		}
	}
	if saved.elements > 0 {
		return true // the enclosing element has no end, either
	}
	*l = saved
	l.failed++
	return false
}

// generic reports whether type parameters of an arrow function begin here: <T,> or <T extends U>.
func (l *lexer) generic() bool {
	rest := l.src[l.pos+1 : min(len(l.src), l.pos+200)]
	i := 0
	for i < len(rest) && l.class[rest[i]] >= letter && l.class[rest[i]] <= digit {
		i++
	}
	rest = strings.TrimLeft(rest[i:], " \t\r\n")
	return i > 0 && (strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, "extends "))
}

// tag skips a tag of JSX, and reports whether it has no content.
func (l *lexer) tag() bool {
	l.pos++
	for depth := 0; l.pos < len(l.src); {
		switch c := l.src[l.pos]; c {
		case '>':
			l.pos++
			if l.src[l.pos-2] == '=' && depth > 0 {
				continue
			}
			if depth == 0 {
				return l.src[l.pos-2] == '/'
			}
			depth--
		case '<':
			depth++
			l.pos++
		case '{':
			l.pos++
			l.code('}')
		case '"', '\'':
			l.pos++
			l.rawText(string(c))
		case '\n':
			l.passLine()
		case '/':
			if !l.comment(c) {
				l.pos++
			}
		default:
			l.pos++
		}
	}
	return true
}
