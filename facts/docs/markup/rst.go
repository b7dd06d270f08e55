package markup

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blq-ci/blq/internal/lazyregexp"
)

// parseRST finds section titles as docutils does. A title can begin where a paragraph can begin. The level of a title
// depends on the order in which the underline styles first appear.
func parseRST(lines *Lines) Outline {
	r := rstReader{lines: lines}
	for r.at = 1; r.at <= lines.Len(); {
		r.block()
	}
	return Outline{First: 1, Headings: r.headings}
}

type rstReader struct {
	lines    *Lines
	at       int // the current line
	headings []Heading
	styles   []string // underline styles by level
	level    int      // level of the current section
}

// line returns a line without spaces at its end.
func (r *rstReader) line(n int) []byte { return bytes.TrimRight(r.lines.Line(n), " \t\f\v") }

func isIndented(line []byte) bool {
	return len(line) > 0 && (line[0] == ' ' || line[0] == '\t' || line[0] == '\f' || line[0] == '\v')
}

// isRun reports whether a line repeats one punctuation mark.
func isRun(line []byte) bool {
	if len(line) == 0 || !isPunctuation(line[0]) {
		return false
	}
	for _, c := range line {
		if c != line[0] {
			return false
		}
	}
	return true
}

// These match lines that begin something other than a paragraph.
var (
	rstItem   = lazyregexp.New(`^([-+*•‣⁃]|\||\.\.|__)( |$)`)
	rstField  = lazyregexp.New("^:[^: ]([^:\\\\]|\\\\.|:[^ `])*:( |$)")
	rstNumber = lazyregexp.New(`^\(?([0-9]+|[a-zA-Z]|[ivxlcdmIVXLCDM]+|#)[.)]( |$)`)
	rstOption = lazyregexp.New(`^(-[a-zA-Z0-9]|--?[a-zA-Z0-9][\w-]*|/[A-Z])([ =]?(<[^<>]+>|[a-zA-Z][\w-]*))?(, .*)?(  |$)`)
	rstTable  = lazyregexp.New(`^=+( +=+)+$`)
	rstBorder = lazyregexp.New(`^=+[ =]*$`)
	rstGrid   = lazyregexp.New(`^\+-[-+]+-\+$`)
)

// block reads the block at the current line.
func (r *rstReader) block() {
	line := r.line(r.at)
	if len(line) == 0 || isIndented(line) {
		r.at++
		return
	}
	if !isPunctuation(line[0]) && line[0] < utf8.RuneSelf && !r.numbered(line) {
		r.text()
		return
	}
	s := string(line)
	switch {
	case rstItem.MatchString(s), rstField.MatchString(s), r.numbered(line), r.option(line):
		r.at++
	case bytes.HasPrefix(line, []byte(">>>")) && (len(line) == 3 || line[3] == ' '), rstGrid.MatchString(s):
		r.toBlank()
	case rstTable.MatchString(s):
		r.simpleTable()
	case isRun(line):
		r.overline(line)
	default:
		r.text()
	}
}

// numbered reports whether a line begins an enumerated list.
func (r *rstReader) numbered(line []byte) bool {
	if c := line[0]; !isLetter(c) && (c < '0' || c > '9') && c != '(' && c != '#' {
		return false
	}
	if !rstNumber.MatchString(string(line)) {
		return false
	}
	next := r.line(r.at + 1)
	return len(next) == 0 || isIndented(next) || rstNumber.MatchString(string(next))
}

// option reports whether a line begins a list of options.
func (r *rstReader) option(line []byte) bool {
	if line[0] != '-' && line[0] != '/' || !rstOption.MatchString(string(line)) {
		return false
	}
	return bytes.Contains(line, []byte("  ")) || isIndented(r.line(r.at+1))
}

func (r *rstReader) toBlank() {
	for r.at <= r.lines.Len() && len(r.line(r.at)) > 0 {
		r.at++
	}
}

// simpleTable skips a table. The table ends at the second border below its first line, or at a border above an empty
// line.
func (r *rstReader) simpleTable() {
	for found := 0; r.at < r.lines.Len(); {
		r.at++
		if rstBorder.MatchString(string(r.line(r.at))) {
			found++
			if found == 2 || len(r.line(r.at+1)) == 0 {
				break
			}
		}
	}
	r.at++
}

// overline reads a title with an overline, or a transition.
func (r *rstReader) overline(line []byte) {
	title, under := r.line(r.at+1), r.line(r.at+2)
	switch {
	case len(title) == 0:
		if len(line) < 4 {
			r.text()
			return
		}
		r.at++
	case isRun(title):
		if len(line) < 4 {
			r.text()
			return
		}
		r.at += 2
	case !bytes.Equal(line, under), width(title) > len(line) && len(line) < 4:
		if len(line) < 4 {
			r.text()
			return
		}
		r.at += 2
		if isRun(under) {
			r.at++
		}
	default:
		r.title(r.at, string([]byte{line[0], under[0]}), title)
		r.at += 3
	}
}

// text reads a title with an underline, a definition or a paragraph.
func (r *rstReader) text() {
	first, under := r.line(r.at), r.line(r.at+1)
	if isRun(under) && (width(first) <= len(under) || len(under) >= 4) {
		r.title(r.at, string(under[:1]), first)
		r.at += 2
		return
	}
	last := first
	for r.at++; r.at <= r.lines.Len(); r.at++ {
		line := r.line(r.at)
		if len(line) == 0 || isIndented(line) {
			break
		}
		last = line
	}
	if bytes.HasSuffix(last, []byte("::")) {
		r.literal()
	}
}

// literal skips a literal block without indentation. Each line of such a block begins with the same mark.
func (r *rstReader) literal() {
	n := r.at
	for n <= r.lines.Len() && len(r.line(n)) == 0 {
		n++
	}
	first := r.line(n)
	if len(first) == 0 || !isPunctuation(first[0]) {
		return
	}
	for n <= r.lines.Len() && len(r.line(n)) > 0 && r.line(n)[0] == first[0] {
		n++
	}
	r.at = n
}

// title adds a title. As in docutils, a title is ignored if its style skips a level. A title with a new style is
// ignored if the current section does not have the deepest level so far.
func (r *rstReader) title(line int, style string, text []byte) {
	level := slices.Index(r.styles, style) + 1
	switch {
	case level == 0 && len(r.styles) == r.level:
		r.styles = append(r.styles, style)
		level = len(r.styles)
	case level == 0, level > r.level+1:
		return
	}
	r.level = level
	r.headings = append(r.headings, Heading{Line: line, Level: level, Text: rstText(text)})
}

// width returns the number of columns that a text takes.
func width(text []byte) int {
	n := 0
	for _, r := range string(text) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case wide(r):
			n += 2
		default:
			n++
		}
	}
	return n
}

// wide reports whether a character takes two columns.
func wide(r rune) bool {
	return r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0x303e || r >= 0x3041 && r <= 0xa4cf ||
		r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f ||
		r >= 0xff01 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1f64f ||
		r >= 0x1f900 && r <= 0x1f9ff || r >= 0x20000 && r <= 0x3fffd)
}

// These match the inline markup that a title may have.
var (
	rstLink   = lazyregexp.New("(:[\\w:+.-]+:)?`([^`<]*[^`< ]) ?(<[^`]*>)?`(__?|:[\\w:+.-]+:)?")
	rstSpan   = lazyregexp.New(`\*\*([^*]+)\*\*|\*([^* ][^*]*)\*`)
	rstSlash  = lazyregexp.New(`\\(.)`)
	rstTarget = lazyregexp.New("([a-zA-Z0-9])__?( |$)")
)

// rstText returns the text of a title without markup.
func rstText(raw []byte) string {
	parts := strings.Split(plainText(raw), "``")
	for i, s := range parts {
		if i%2 == 1 && i < len(parts)-1 || !strings.ContainsAny(s, "`*\\_") {
			continue // the text is code
		}
		s = rstLink.ReplaceAllString(s, "$2")
		s = rstSpan.ReplaceAllString(s, "$1$2")
		s = rstTarget.ReplaceAllString(s, "$1$2")
		parts[i] = rstSlash.ReplaceAllString(s, "$1")
	}
	return strings.Join(parts, "")
}
