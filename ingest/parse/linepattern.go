package parse

import (
	"sync"

	"github.com/blq-ci/blq/store"
)

// LinePattern is how a tool prints a finding in one line, as text with fields:
//
//	{place}             file:line, file:line:column or file(line,column), and the colon or blank behind it
//	{place+column}      a place that has a column
//	{place:.py|.pyi}    a place in a file whose name ends so; {file} takes endings, too
//	{range}             a place with its end: file:3.5-9, file:3:5-9, file:(3,5)-(4,9), and the colon
//	                    behind it; a place without an end is no range; it takes endings, too
//	{file}              the name of a file, with blanks only where it has a directory, too;
//	                    {path} is one that may look like anything
//	{line} {column}     decimal numbers; {#} is a number that is passed over
//	{severity}          error, warning, note … as all tools grade; no blank need be behind its colon
//	{severity:E=error|warning|*=info}
//	                    these words, with the grade where the word is not one; * is any word
//	{code}              a word; {code:DL#|SC####|a*} one of these, # for digits, #### for so many, * for any rest
//	{test}              the name of a test
//	{message}           text up to the last place where the rest fits
//	«…»                 what the fields inside stand for is the message
//	{_} {*}             anything, up to the first or to the last place of what follows
//	{ }                 blanks, or none
//	{:a|b}              one of these texts
//	{?…}                a part that may be missing
//
// Other text stands for itself. A field reaches to the first place of the text
// behind it. The whole line must fit. Blanks at its ends do not count; a pattern
// that begins with ^ takes no line that begins with blanks.
type LinePattern struct {
	Text string

	// What the line does not say. The category is lint where none is given.
	Tool, Code, Message string
	Category            store.Category
	Severity            store.Severity
	Weight              Weight

	// If reports whether what was read is a finding at all.
	If func(*Draft) bool
	// Then completes the finding.
	Then func(*Draft)
	// Once says that the tool prints a finding several times. It is added once: a second one with the same Key, which
	// If or Then sets, is left out.
	Once bool
	// Ignore says that the line is the tool's, but not a finding.
	Ignore bool
	// Below makes the block for the lines below the finding, or nil.
	Below func(d *Draft, l Line) func(Line) Verdict
}

// Lines are the patterns of a format, in the order in which they are tried.
type Lines []LinePattern

// compiledLines has the patterns of all Lines that were used, by the first of each. Tables of Lines are data, which
// costs nothing at the start of a program; they are compiled once, on their first use.
var compiledLines sync.Map

// compiled returns the compiled patterns.
func (list Lines) compiled() []*pattern {
	if len(list) == 0 {
		return nil
	}
	if p, ok := compiledLines.Load(&list[0]); ok {
		return p.([]*pattern)
	}
	patterns := make([]*pattern, len(list))
	for i, p := range list {
		patterns[i] = compileLine(p)
	}
	compiledLines.Store(&list[0], patterns)
	return patterns
}

// matcher returns a matcher that tries the patterns in their order.
func (list Lines) matcher() Matcher { return (&lineMatcher{patterns: list.compiled()}).match }

// Read reads a text by the first pattern that it fits, for code that reads more than lines. It opens no block.
func (list Lines) Read(text string) (Draft, bool) {
	r := readers.Get().(*lineReader)
	defer readers.Put(r)
	r.begin(Line{Text: text})
	for _, p := range list.compiled() {
		if r.fits(p) {
			return r.d, true
		}
	}
	return Draft{}, false
}

// readers are used by Lines.Read.
var readers = sync.Pool{New: func() any { return new(lineReader) }}

// lineMatcher reads lines of a lane. It holds what it reads into, so that a line
// that fits nothing costs no memory.
type lineMatcher struct {
	patterns []*pattern
	read     lineReader
}

func (m *lineMatcher) match(s *Scan, l Line) bool {
	m.read.begin(l)
	for _, p := range m.patterns {
		if !m.read.fits(p) {
			continue
		}
		if p.Ignore || p.Once && s.said(&m.read.d) {
			return true
		}
		d := s.Add(m.read.d)
		if p.Below != nil {
			if block := p.Below(d, l); block != nil {
				s.Block(block)
			}
		}
		return true
	}
	return false
}

// pattern is a LinePattern that was compiled.
type pattern struct {
	LinePattern
	blank    Draft // with what the line does not say
	forms    []lineForm
	atMargin bool // no blanks may stand before it
}
