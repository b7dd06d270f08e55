package parse

import (
	"slices"
	"strings"
)

// Below describes the lines below a finding that belong to it, and which of them
// join its message. The block ends at an empty line and at the first line that does
// not fit. The zero Below takes a paragraph.
type Below struct {
	Indent int                    // how many blanks a line starts with at least
	Starts []string               // one of these starts a line, behind its blanks
	Is     func(text string) bool // the line, with its blanks, is like this
	Until  []string               // none of these starts a line, behind its blanks
	Lines  int                    // max lines of the block, 0 for MaxBlock
	Blank  int                    // max empty lines before the first
	Each   func(text string)      // called with each line, without its blanks

	Join    string // what stands between the parts of the message; "" where no line is a part
	Parts   int    // max lines that join the message, 0 for all
	MaxText int    // a message of as many bytes has no more parts, 0 for MaxText
}

// Block returns the block of the lines below d.
func (b Below) Block(d *Draft) func(Line) Verdict {
	lines, parts, blank := 0, 0, 0
	return func(l Line) Verdict {
		text := l.Trim()
		if text == "" && lines == 0 && blank < b.Blank {
			blank++
			return Take
		}
		if lines++; text == "" || b.Lines > 0 && lines > b.Lines || !b.has(l, text) {
			return Done
		}
		if b.Join != "" && (b.Parts == 0 || parts < b.Parts) && len(d.Message) < b.maxText() {
			parts++
			d.join(b.Join, text)
		}
		if d.Extend(l); b.Each != nil {
			b.Each(text)
		}
		return Take
	}
}

// Pattern returns the block of the lines below d, as LinePattern.Below wants it.
func (b Below) Pattern(d *Draft, _ Line) func(Line) Verdict { return b.Block(d) }

// has reports whether a line is one of the block's.
func (b Below) has(l Line, text string) bool {
	starts := func(word string) bool { return strings.HasPrefix(text, word) }
	return l.Indent() >= b.Indent && (b.Starts == nil || slices.ContainsFunc(b.Starts, starts)) &&
		(b.Is == nil || b.Is(l.Text)) && !slices.ContainsFunc(b.Until, starts)
}

func (b Below) maxText() int {
	if b.MaxText == 0 {
		return MaxText
	}
	return b.MaxText
}

// join adds a part to the message.
func (d *Draft) join(between, part string) {
	if d.Message != "" {
		d.Message += between
	}
	d.Message += part
}

// Caret is the source below a finding and the line that points at the place.
type Caret struct {
	Lines int  // max lines of source, 0 for one
	Pass  bool // the source is for other formats: the finding has it only if something points at it
}

// block returns the block of the lines below d.
func (c Caret) block(d *Draft) func(Line) Verdict {
	source := 0
	return func(l Line) Verdict {
		if IsCaret(l.Text) {
			d.Extend(l)
			return Last
		}
		if _, _, placed := PlaceAt(l.Trim()); placed || source > 0 && l.Trim() == "" || source >= max(c.Lines, 1) {
			return Done
		}
		if source++; c.Pass {
			return Pass
		}
		d.Extend(l)
		return Take
	}
}

// Pattern returns the block of the lines below d, as LinePattern.Below wants it.
func (c Caret) Pattern(d *Draft, _ Line) func(Line) Verdict { return c.block(d) }

// IsCaret reports whether a line only points at the one above it. It may stand
// behind a gutter.
func IsCaret(text string) bool {
	return strings.ContainsAny(text, "^~") && strings.Trim(text, " \t^~|-") == ""
}

// Rows returns the block of a list below a heading: lines that read takes, after
// two empty lines at most.
func Rows(read func(Line) bool) func(Line) Verdict {
	begun, blank := false, 0
	return func(l Line) Verdict {
		if read(l) {
			begun = true
			return Take
		}
		if blank++; begun || l.Trim() != "" || blank > 2 {
			return Done
		}
		return Take
	}
}
