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
//	{file}              the name of a file; {path} is one that may look like anything
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
//	{?…}                a part that may be missing
//
// Other text stands for itself. A field reaches to the first place of the text
// behind it. The whole line must fit, without the blanks at its ends, which a ^
// in front forbids at the start.
type LinePattern struct {
	Text string

	// What the line does not say. The category is lint where none is given.
	Tool, Code, Message string
	Category            store.Category
	Severity            store.Severity
	Weight              Weight

	// Then completes what was read, and reports whether it is a finding at all.
	Then func(*Draft) bool
	// Below makes the block for the lines below the finding, or nil.
	Below func(d *Draft, l Line) func(Line) Verdict
}

// Lines are the patterns of a format, in the order in which they are tried.
type Lines []LinePattern

// New returns what makes the matchers of a format. The patterns are compiled
// when a parser first needs one.
func (list Lines) New() func() Matcher {
	patterns := sync.OnceValue(func() []*Pattern {
		var compiled []*Pattern
		for _, p := range list {
			compiled = append(compiled, compileLine(p))
		}
		return compiled
	})
	return func() Matcher { return (&lineMatcher{patterns: patterns()}).match }
}

// Or returns what makes matchers that try the patterns and then other, which
// keeps nothing from line to line.
func (list Lines) Or(other Matcher) func() Matcher { return list.OrNew(Stateless(other)) }

// OrNew returns what makes matchers that try the patterns and then another matcher.
func (list Lines) OrNew(other func() Matcher) func() Matcher {
	lines := list.New()
	return func() Matcher {
		first, then := lines(), other()
		return func(s *Scan, l Line) bool { return first(s, l) || then(s, l) }
	}
}

// lineMatcher reads lines of a lane. It holds what it reads into, so that a line
// that fits nothing costs no memory.
type lineMatcher struct {
	patterns []*Pattern
	read     lineReader
}

func (m *lineMatcher) match(s *Scan, l Line) bool {
	m.read.begin(l)
	for _, p := range m.patterns {
		if !m.read.fits(p) {
			continue
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

// Pattern is a LinePattern for code that reads more than lines.
type Pattern struct {
	LinePattern
	blank    Draft // with what the line does not say
	forms    []lineForm
	atMargin bool // no blanks may stand before it
}

// NewPattern returns what compiles a pattern when it is first needed.
func NewPattern(p LinePattern) func() *Pattern {
	return sync.OnceValue(func() *Pattern { return compileLine(p) })
}

// Read reads a text. It gives no block.
func (p *Pattern) Read(text string) (Draft, bool) {
	var r lineReader
	r.begin(Line{Text: text})
	ok := r.fits(p)
	return r.d, ok
}
