package markup

import (
	"bytes"

	"github.com/blq-ci/blq/internal/lazyregexp"
)

// parseAsciiDoc finds section titles as Asciidoctor does. It does not follow includes. It reads the text inside of
// every condition, whether the condition holds or not.
func parseAsciiDoc(lines *Lines) Outline {
	r := asciiDocReader{lines: lines}
	title, first := frontMatter(lines)
	for r.at = first; r.at <= lines.Len(); {
		r.block()
	}
	return Outline{Title: title, First: first, Headings: r.headings}
}

type asciiDocReader struct {
	lines    *Lines
	at       int
	headings []Heading
}

func (r *asciiDocReader) line(n int) []byte { return bytes.TrimRight(r.lines.Line(n), " \t") }

var (
	adocTitle     = lazyregexp.New(`^(={1,6}|#{1,6})[ \t]+(\S.*)$`)
	adocSetext    = lazyregexp.New(`^(=+|-+|~+|\^+|\++)$`)
	adocAttribute = lazyregexp.New(`^:!?\w[\w-]*!?:([ \t]|$)`)
	adocDirective = lazyregexp.New(`^(include|ifdef|ifndef|ifeval|endif)::\S*\[.*\]$`)
	adocItem      = lazyregexp.New(`^[ \t]*([-*•]+|\.+|[0-9]+\.|[a-zA-Z]\.|<\d*\.?>)[ \t]+\S|^\S.*(::+|;;)([ \t]|$)`)
	adocHint      = lazyregexp.New(`^(ifdef|include)::\S+\[|^\[(verse|source|listing)|^\[\[[\w-]+\]\]$|^={2,5} \S`)
)

// block reads the block at the current line.
func (r *asciiDocReader) block() {
	line := r.line(r.at)
	switch {
	case len(line) == 0:
		r.at++
	case r.delimited(line), r.title(line):
	case line[0] == '[' && line[len(line)-1] == ']', line[0] == '.' && len(line) > 1 && line[1] != '.' && line[1] != ' ',
		bytes.HasPrefix(line, []byte("//")), line[0] == ':' && adocAttribute.MatchString(string(line)),
		adocDirective.MatchString(string(line)), string(line) == "+", string(line) == "'''", string(line) == "<<<":
		r.at++
	default:
		r.paragraph()
	}
}

// delimiter returns the line that ends a delimited block. It returns nil if the given line begins no such block.
func delimiter(line []byte) []byte {
	switch string(line) {
	case "--", "|===", ",===", ":===", "!===":
		return line
	}
	if bytes.HasPrefix(line, []byte("```")) && bytes.IndexByte(line[3:], '`') < 0 {
		return line[:3]
	}
	if len(line) >= 4 && isRun(line) && bytes.IndexByte([]byte("-.=*_+/"), line[0]) >= 0 {
		return line
	}
	return nil
}

// delimited skips a delimited block, and reports whether a line begins such a block. A block that is not closed ends
// with the document, as in Asciidoctor.
func (r *asciiDocReader) delimited(line []byte) bool {
	end := delimiter(line)
	if end == nil {
		return false
	}
	for r.at++; r.at <= r.lines.Len(); r.at++ {
		if bytes.Equal(r.line(r.at), end) {
			break
		}
	}
	r.at++
	return true
}

// title reads a title on one line, or a title with an underline. It reports whether there is a title.
func (r *asciiDocReader) title(line []byte) bool {
	if line[0] == '=' || line[0] == '#' {
		if m := adocTitle.FindStringSubmatch(string(line)); m != nil {
			r.headings = append(r.headings, Heading{Line: r.at, Level: len(m[1]), Text: adocText([]byte(m[2]))})
			r.at++
			return true
		}
	}
	under := r.line(r.at + 1)
	if len(under) < 2 || !adocSetext.MatchString(string(under)) || line[0] == '.' || line[0] == '[' || !hasWord(line) {
		return false
	}
	if !fits(line, under) {
		return false
	}
	level := bytes.IndexByte([]byte("=-~^+"), under[0]) + 1
	r.headings = append(r.headings, Heading{Line: r.at, Level: level, Text: adocText(line)})
	r.at += 2
	return true
}

// fits reports whether the lengths of an underline and its title differ by at most one.
func fits(title, under []byte) bool {
	d := width(title) - len(under)
	return d >= -1 && d <= 1
}

func hasWord(line []byte) bool {
	for _, c := range line {
		if isLetter(c) || c >= '0' && c <= '9' || c == '_' || c >= 0x80 {
			return true
		}
	}
	return false
}

// paragraph skips lines up to a blank line, or up to a line that begins a block.
func (r *asciiDocReader) paragraph() {
	list := adocItem.MatchString(string(r.line(r.at)))
	for r.at++; r.at <= r.lines.Len(); r.at++ {
		line := r.line(r.at)
		if len(line) == 0 || line[0] == '[' && line[len(line)-1] == ']' || list && string(line) == "+" ||
			delimiter(line) != nil {
			return
		}
	}
}

var (
	adocLink  = lazyregexp.New(`(?:(?:link|xref|mailto|https?|image):\S*?)\[([^\]]*)\]|<<[^,>]*, *([^>]*)>>`)
	adocSpans = []*lazyregexp.Regexp{
		lazyregexp.New("`{1,2}(\\S(?:[^`]*\\S)?)`{1,2}"), lazyregexp.New(`\*{1,2}(\S(?:[^*]*[^*\s])?)\*{1,2}`),
		lazyregexp.New(`\b_{1,2}(\S(?:[^_]*[^_\s])?)_{1,2}\b`), lazyregexp.New(`\+{1,2}(\S(?:[^+]*[^+\s])?)\+{1,2}`),
		lazyregexp.New(`#{1,2}(\S(?:[^#]*[^#\s])?)#{1,2}`),
	}
	adocEmpty = lazyregexp.New(`\[\[[^\]]*\]\]`)
)

// adocText returns the text of a title without markup.
func adocText(raw []byte) string {
	s := plainText(raw)
	if bytes.ContainsAny(raw, "`*_[<+#") {
		s = adocEmpty.ReplaceAllString(s, "")
		s = adocLink.ReplaceAllString(s, "$1$2")
		for _, span := range adocSpans {
			s = span.ReplaceAllString(s, "$1")
		}
	}
	return plainText([]byte(s))
}

// looksLikeAsciiDoc reports whether a text begins with an underlined title, or contains syntax that only AsciiDoc
// has.
func looksLikeAsciiDoc(text []byte) bool {
	title, rest, _ := bytes.Cut(text[:min(len(text), 1000)], []byte("\n"))
	under, _, _ := bytes.Cut(rest, []byte("\n"))
	title, under = bytes.TrimRight(title, " \r"), bytes.TrimRight(under, " \r")
	if len(under) > 3 && under[0] == '=' && isRun(under) && hasWord(title) && fits(title, under) {
		return true
	}
	for line := range bytes.Lines(text[:min(len(text), 32<<10)]) {
		if line = bytes.TrimRight(line, " \t\r\n"); len(line) > 3 && bytes.IndexByte([]byte("[=i"), line[0]) >= 0 &&
			adocHint.MatchString(string(line)) {
			return true
		}
	}
	return false
}
