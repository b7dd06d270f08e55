package markup

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blq-ci/blq/internal/lazyregexp"
)

// maxHeading is the max number of bytes of a heading's text.
const maxHeading = 1000

// attributeList matches the attributes that some tools put after a heading: {#install}, {: .note}, {/* #install */}.
var attributeList = lazyregexp.New(`\s*(\{:?\s*[#.][^{}]*\}|\{/\*.*\*/\})$`)

// inlineText returns the text of a Markdown heading without markup.
func inlineText(raw []byte) string {
	in := inline{text: clip(raw, 2*maxHeading)}
	if n := len(in.text); n > 0 && in.text[n-1] == '}' {
		in.text = []byte(attributeList.ReplaceAllString(string(in.text), ""))
	}
	in.all()
	return plainText(in.out)
}

// clip cuts a text after a number of bytes, between characters.
func clip(text []byte, max int) []byte {
	if len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max]
}

// plainText returns a text as valid UTF-8 with single spaces, cut to maxHeading bytes.
func plainText(text []byte) string {
	s := strings.ReplaceAll(strings.ToValidUTF8(string(text), "\ufffd"), "\x00", "\ufffd")
	return string(clip([]byte(strings.Join(strings.Fields(s), " ")), maxHeading))
}

// inline removes inline markup.
type inline struct {
	text []byte
	at   int
	out  []byte
	runs []run // runs of asterisks and underscores that may begin emphasis

	closing map[int]int // offsets of closing brackets by the offsets of opening brackets
}

// run is a run of delimiters in the output.
type run struct {
	char       byte
	start, end int
}

func (in *inline) all() {
	in.closing = brackets(in.text)
	for in.at < len(in.text) {
		switch c := in.text[in.at]; c {
		case '\\':
			in.escape()
		case '`':
			in.code()
		case '!':
			if in.at++; in.at == len(in.text) || in.text[in.at] != '[' || !in.link() {
				in.out = append(in.out, c)
			}
		case '[':
			if !in.link() {
				in.copy(1)
			}
		case '<':
			in.tag()
		case '&':
			in.entity()
		case '*', '_':
			in.emphasis(c)
		case '~':
			if n := runLength(in.text[in.at:]); n == 2 {
				in.at += n
			} else {
				in.copy(n)
			}
		default:
			in.copy(1)
		}
	}
}

func (in *inline) copy(n int) {
	in.out = append(in.out, in.text[in.at:in.at+n]...)
	in.at += n
}

func (in *inline) escape() {
	if in.at++; in.at < len(in.text) && isPunctuation(in.text[in.at]) {
		in.copy(1)
	} else {
		in.out = append(in.out, '\\')
	}
}

func isPunctuation(c byte) bool {
	return c > ' ' && c < 0x7f && !isLetter(c) && (c < '0' || c > '9')
}

func runLength(text []byte) int {
	n := 1
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return n
}

func (in *inline) code() {
	n := runLength(in.text[in.at:])
	body := in.text[in.at+n:]
	for at := 0; at < len(body); {
		if body[at] != '`' {
			at++
			continue
		}
		if m := runLength(body[at:]); m != n {
			at += m
			continue
		}
		in.out = append(in.out, bytes.TrimSpace(body[:at])...)
		in.at += n + at + n
		return
	}
	in.copy(n)
}

// link reads a link or image at a bracket and keeps its text. It reports whether there is a link or image.
func (in *inline) link() bool {
	rest := in.text[in.at:]
	closing, ok := in.closing[in.at]
	end := closing - in.at
	if !ok || end+1 >= len(rest) {
		return false
	}
	target := 0
	switch rest[end+1] {
	case '(':
		target = inlineTarget(rest[end+1:])
	case '[':
		if n := linkLabel(rest[end+1:]); n > 0 {
			target = n
		} else if bytes.HasPrefix(rest[end+1:], []byte("[]")) {
			target = 2
		}
	}
	if target == 0 {
		return false
	}
	inner := inline{text: rest[1:end]}
	inner.all()
	in.out = append(in.out, inner.out...)
	in.at += end + 1 + target
	return true
}

// brackets maps the offset of an opening bracket to the offset of its closing bracket.
func brackets(text []byte) map[int]int {
	var closing map[int]int
	var open []int
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '`':
			n := runLength(text[i:])
			if end := bytes.Index(text[i+n:], text[i:i+n]); end >= 0 {
				i += n + end
			}
			i += n - 1
		case '[':
			open = append(open, i)
		case ']':
			if len(open) == 0 {
				continue
			}
			if closing == nil {
				closing = map[int]int{}
			}
			closing[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return closing
}

// inlineTarget returns the length of a link's target in parentheses, or 0 if there is none.
func inlineTarget(text []byte) int {
	n := 1 + whitespace(text[1:])
	n += linkTarget(text[n:])
	if space := whitespace(text[n:]); space > 0 {
		n += space + linkTitle(text[n+space:])
		n += whitespace(text[n:])
	}
	if n < len(text) && text[n] == ')' {
		return n + 1
	}
	return 0
}

// tag drops an HTML tag or comment and keeps the address of an autolink.
func (in *inline) tag() {
	rest := in.text[in.at:]
	end := bytes.IndexByte(rest, '>')
	if bytes.HasPrefix(rest, []byte("<!--")) {
		if end = bytes.Index(rest, []byte("-->")); end >= 0 {
			end += 2
		}
	}
	if end < 2 {
		in.copy(1)
		return
	}
	inside := rest[1:end]
	if name, after := tagName(bytes.TrimPrefix(inside, []byte("/"))); name != "" &&
		(len(after) == 0 || after[0] == ' ' || after[0] == '/' || after[0] == '\t' || after[0] == '\n') || inside[0] == '!' {
		in.at += end + 1
		return
	}
	if bytes.ContainsAny(inside, " <\t\n") || !bytes.ContainsAny(inside, ":@") {
		in.copy(1)
		return
	}
	in.out = append(in.out, inside...)
	in.at += end + 1
}

func (in *inline) entity() {
	rest := in.text[in.at:]
	if end := bytes.IndexByte(rest, ';'); end > 1 && end < 40 {
		if s := html.UnescapeString(string(rest[:end+1])); s != string(rest[:end+1]) {
			in.out = append(in.out, s...)
			in.at += end + 1
			return
		}
	}
	in.copy(1)
}

// emphasis drops delimiters that have a partner.
func (in *inline) emphasis(c byte) {
	n := runLength(in.text[in.at:])
	before, _ := utf8.DecodeLastRune(in.text[:in.at])
	after, _ := utf8.DecodeRune(in.text[in.at+n:])
	if in.at == 0 {
		before = ' '
	}
	if in.at+n == len(in.text) {
		after = ' '
	}
	left := !unicode.IsSpace(after) && (!punctuation(after) || unicode.IsSpace(before) || punctuation(before))
	right := !unicode.IsSpace(before) && (!punctuation(before) || unicode.IsSpace(after) || punctuation(after))
	opens, closes := left, right
	if c == '_' {
		opens, closes = left && (!right || punctuation(before)), right && (!left || punctuation(after))
	}
	in.at += n
	for i := len(in.runs) - 1; closes && n > 0 && i >= 0; i-- {
		if r := in.runs[i]; r.char == c {
			used := min(n, r.end-r.start)
			in.out = append(in.out[:r.end-used], in.out[r.end:]...)
			n -= used
			in.runs = in.runs[:i]
			if r.end-used > r.start {
				r.end -= used
				in.runs = append(in.runs, r)
			}
		}
	}
	start := len(in.out)
	in.out = append(in.out, bytes.Repeat([]byte{c}, n)...)
	if opens && n > 0 {
		in.runs = append(in.runs, run{c, start, start + n})
	}
}

func punctuation(r rune) bool {
	return unicode.IsPunct(r) || unicode.IsSymbol(r)
}
