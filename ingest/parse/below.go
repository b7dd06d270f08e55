package parse

import (
	"slices"
	"strings"
)

// Below describes a block: the lines below a finding that belong to the finding. The block ends before
// the first line that is empty or does not fit. Below also says which of these lines are added to the
// message of the finding. The zero Below describes all lines up to the next empty line.
type Below struct {
	Indent int                    // min leading blanks of a line
	Starts []string               // a line must start with one of these texts; blanks may precede it
	Is     func(text string) bool // reports whether a line belongs to the block; the text has its blanks
	Until  []string               // a line that starts with one of these texts ends the block; blanks may precede it
	Lines  int                    // max lines of the block, 0 for MaxBlock
	Blank  int                    // max empty lines before the first line
	Each   func(text string)      // is called with each line, without its blanks

	Join    string // separator between the parts of the message; "" if no line joins the message
	Parts   int    // max lines that are added to the message, 0 for all
	MaxText int    // a message of this many bytes takes no more lines, 0 for MaxText
}

// Block returns a function that reads the lines below d, and decides for each line whether it belongs
// to the block.
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

// Pattern returns the same block as Block. It has the signature of LinePattern.Below.
func (b Below) Pattern(d *Draft, _ Line) func(Line) Verdict { return b.Block(d) }

// has reports whether a line belongs to the block.
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

// join appends a part to the message.
func (d *Draft) join(between, part string) {
	if d.Message != "" {
		d.Message += between
	}
	d.Message += part
}

// Caret describes the source lines below a finding. The line below them has a caret that points at a position in the
// source.
type Caret struct {
	Lines int  // max lines of source, 0 for one
	Pass  bool // the source lines are offered to other formats, too; the finding takes them only if a caret follows
}

// block returns a function that reads the lines below d up to the caret.
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

// Pattern returns the same function as block. It has the signature of LinePattern.Below.
func (c Caret) Pattern(d *Draft, _ Line) func(Line) Verdict { return c.block(d) }

// IsCaret reports whether a line consists only of marks that point at the line above. A gutter may precede the marks.
func IsCaret(text string) bool {
	return strings.ContainsAny(text, "^~") && strings.Trim(text, " \t^~|-") == ""
}

// Rows returns a function that reads a list below a heading. At most two empty lines may be between
// the heading and the list. The list ends at the first line for which parseRow returns false.
func Rows(parseRow func(Line) bool) func(Line) Verdict {
	begun, blank := false, 0
	return func(l Line) Verdict {
		if parseRow(l) {
			begun = true
			return Take
		}
		if blank++; begun || l.Trim() != "" || blank > 2 {
			return Done
		}
		return Take
	}
}
