package parse

import (
	"sync"

	"github.com/blq-ci/blq/store"
)

// LinePattern describes how a tool prints a finding in one line. Text may contain these fields:
//
//	{place}             file:line, file:line:column or file(line,column), with the colon or blank after it
//	{place+column}      a place that has a column
//	{place:.py|.pyi}    a place in a file with one of these endings
//	{range}             a place with an end: file:3.5-9, file:3:5-9 or file:(3,5)-(4,9), with the colon
//	                    after it; {range:.py} is like {place:.py}
//	{file}              a file name; it may contain blanks only if it contains a directory;
//	                    {file:.py} is like {place:.py}
//	{path}              a file name with any characters
//	{line} {column}     decimal numbers
//	{#}                 a decimal number that is ignored
//	{severity}          a usual severity word: error, warning, note …; its colon needs no blank after it
//	{severity:E=error|warning|*=info}
//	                    one of these words; =error is the severity for a word that is not a severity word;
//	                    * is any word
//	{code}              a word
//	{code:DL#|SC####|a*}
//	                    a code: # is any number of digits, #### is four digits, * is any rest without spaces
//	{test}              the name of a test
//	{message}           text up to the last position at which the rest fits
//	«…»                 the text of the fields inside becomes the message
//	{_}                 any text, up to the first occurrence of the text that follows
//	{*}                 any text, up to the last occurrence of the text that follows
//	{ }                 blanks, or nothing
//	{:a|b}              one of these texts
//	{?…}                an optional part
//
// Other text stands for itself. A field ends before the first occurrence of the text that follows it. A field with a
// list of values ends before the first occurrence at which the list has its value. The pattern must fit the whole line.
// Blanks at both ends of the line are ignored. A pattern that begins with ^ fits no line that begins with blanks.
type LinePattern struct {
	Text string

	// Tool, Code, Message, Category and Severity are used if the line itself does not have these values. The default
	// Category is lint.
	Tool, Code, Message string
	Category            store.Category
	Severity            store.Severity
	Weight              Weight

	// If reports whether the draft is a finding. The pattern does not fit if the result is false.
	If func(*Draft) bool
	// Then completes the draft of the finding.
	Then func(*Draft)
	// Once is for tools that print a finding several times. If a step already has a finding with the same Key, the
	// finding is left out. The function If or Then must set the Key.
	Once bool
	// Ignore marks a line that belongs to the tool but is not a finding.
	Ignore bool
	// Below returns the block of the lines below the finding, or nil.
	Below func(d *Draft, l Line) func(Line) Verdict
}

// Lines are the patterns of a format, in the order in which they are tried.
type Lines []LinePattern

// compiledLines maps the first element of a Lines to the compiled patterns of this Lines. Patterns are compiled on
// first use, so they cost nothing when a program starts.
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

// Read reads a text with the first pattern that fits. It opens no block. Callers use it for texts other than lines.
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

// readers is a pool for Lines.Read.
var readers = sync.Pool{New: func() any { return new(lineReader) }}

// lineMatcher reads the lines of a lane. It reuses one lineReader, so a line that matches no pattern
// allocates nothing.
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

// pattern is a compiled LinePattern.
type pattern struct {
	LinePattern
	blank    Draft // values that the line does not contain
	forms    []lineForm
	atMargin bool // the line must not begin with blanks
}
