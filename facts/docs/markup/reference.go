package markup

import "bytes"

// referenceLines returns the number of lines at the beginning of a paragraph that are link definitions, such as
// "[blq]: https://example.org 'title'".
func referenceLines(para [][]byte) int {
	if len(para) == 0 || para[0][0] != '[' {
		return 0
	}
	text := bytes.Join(para, []byte("\n"))
	at := 0
	for at < len(text) && text[at] == '[' {
		n := definition(text[at:])
		if n == 0 {
			break
		}
		at += n
	}
	if at == len(text) {
		return len(para)
	}
	return bytes.Count(text[:at], []byte("\n"))
}

// definition returns the length of the link definition at the beginning of a text, with its line end, or 0 if there is
// none.
func definition(text []byte) int {
	n := linkLabel(text)
	if n == 0 || n == len(text) || text[n] != ':' {
		return 0
	}
	n++
	n += whitespace(text[n:])
	target := linkTarget(text[n:])
	if target == 0 {
		return 0
	}
	n += target
	space := whitespace(text[n:])
	if title := linkTitle(text[n+space:]); title > 0 && space > 0 {
		if end := lineEnd(text[n+space+title:]); end >= 0 {
			return n + space + title + end
		}
	}
	if end := lineEnd(text[n:]); end >= 0 {
		return n + end
	}
	return 0
}

// lineEnd returns the length of the spaces up to the end of the line, with the line end. It returns -1 if the line has
// other text before its end.
func lineEnd(text []byte) int {
	n := blanks(text)
	switch {
	case n == len(text):
		return n
	case text[n] == '\n':
		return n + 1
	}
	return -1
}

// whitespace returns the length of the spaces and tabs at the beginning of a text, with at most one line end.
func whitespace(text []byte) int {
	n := blanks(text)
	if n < len(text) && text[n] == '\n' {
		n++
		n += blanks(text[n:])
	}
	return n
}

// linkLabel returns the length of a label in brackets, or 0 if there is none.
func linkLabel(text []byte) int {
	const limit = 999
	blank := true
	for n := 1; n < len(text) && n <= limit+1; n++ {
		switch text[n] {
		case '\\':
			n++
			blank = false
		case '[':
			return 0
		case ']':
			if blank {
				return 0
			}
			return n + 1
		case ' ', '\t', '\n':
		default:
			blank = false
		}
	}
	return 0
}

// linkTarget returns the length of a link's destination, or 0 if there is none.
func linkTarget(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	if text[0] == '<' {
		for n := 1; n < len(text) && text[n] != '\n' && text[n] != '<'; n++ {
			if text[n] == '\\' {
				n++
			} else if text[n] == '>' {
				return n + 1
			}
		}
		return 0
	}
	depth, n := 0, 0
	for ; n < len(text) && text[n] > ' ' && text[n] != 0x7f; n++ {
		switch text[n] {
		case '\\':
			if n+1 < len(text) && text[n+1] > ' ' {
				n++
			}
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return n
			}
		}
	}
	if depth != 0 {
		return 0
	}
	return n
}

// linkTitle returns the length of a link's title in quotes or parentheses, or 0 if there is none.
func linkTitle(text []byte) int {
	if len(text) == 0 || text[0] != '"' && text[0] != '\'' && text[0] != '(' {
		return 0
	}
	end := text[0]
	if end == '(' {
		end = ')'
	}
	for n := 1; n < len(text); n++ {
		switch text[n] {
		case '\\':
			n++
		case end:
			return n + 1
		case '(':
			if end == ')' {
				return 0
			}
		}
	}
	return 0
}
