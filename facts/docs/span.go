package docs

import (
	"context"
	"iter"
	"strings"
	"unicode/utf8"
)

// Mode is the amount of text around the requested lines.
type Mode string

// A Mode says how many lines around the requested lines an answer has.
const (
	None      Mode = "none"      // only the requested lines, with padding
	Symmetric Mode = "symmetric" // the whole section
	All       Mode = "all"       // the whole document
)

// maxPadding is the max of Context.Padding.
const maxPadding = 50

// defaultSpan is the max number of bytes of a span if Context.MaxBytes is 0.
const defaultSpan = 64 << 10

// Context is the amount of text to return.
type Context struct {
	Mode     Mode // "" for None
	Padding  int  // lines before and after, 0 to 50; only None uses it
	MaxBytes int  // max bytes of a span's text; 0 for 64 KiB
}

// Check returns an error with the code BadParams if the mode is unknown or the padding is out of its range.
func (c Context) Check() error {
	switch c.Mode {
	case "", None, Symmetric, All:
	default:
		return Errorf(BadParams, "contextMode is %s, and must be none, symmetric or all", quote(string(c.Mode)))
	}
	if c.Padding < 0 || c.Padding > maxPadding {
		return Errorf(BadParams, "linePadding is %d, and must be from 0 to %d", c.Padding, maxPadding)
	}
	return nil
}

// Lines are the lines of a document, a log or a source file.
type Lines interface {
	// Len returns the number of lines.
	Len(ctx context.Context) (int, error)
	// Lines yields a range of lines without their ends. The first and the last line of the range must exist.
	Lines(ctx context.Context, from, to int) iter.Seq2[string, error]
}

// Sections are Lines with sections. Lines without this interface form a single section.
type Sections interface {
	Lines
	// Section returns the smallest section that contains a range.
	Section(ctx context.Context, r Range) (Range, error)
}

// Span is a part of Lines.
type Span struct {
	Range
	Text      string // lines with line feeds between them
	Truncated bool   // the text has less than was requested
}

// ReadSpans returns a span for each range, in the order of the ranges. A range that ends after the last line is cut.
// A range that begins after the last line is an error with the code BadParams. The error contains the given name.
func ReadSpans(ctx context.Context, name string, lines Lines, ranges []Range, c Context) ([]Span, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	count, err := lines.Len(ctx)
	if err != nil {
		return nil, err
	}
	spans := make([]Span, 0, len(ranges))
	for _, r := range ranges {
		if r.From < 1 || r.To < r.From {
			return nil, Errorf(BadParams, "%s is not a range of lines", quote(r.Lines()))
		}
		if r.From > count {
			return nil, hint(Errorf(BadParams, "%s has %d lines: there is no line %d", name, count, r.From),
				"ask for lines from 1 to %d", count)
		}
		span, err := readSpan(ctx, lines, count, r, c)
		if err != nil {
			return nil, err
		}
		spans = append(spans, span)
	}
	return spans, nil
}

func readSpan(ctx context.Context, lines Lines, count int, r Range, c Context) (Span, error) {
	s := Span{Truncated: r.To > count}
	r.To = min(r.To, count)
	switch sections, ok := lines.(Sections); {
	case c.Mode == Symmetric && ok:
		var err error
		if r, err = sections.Section(ctx, r); err != nil {
			return Span{}, err
		}
	case c.Mode == Symmetric, c.Mode == All:
		r = Range{1, count}
	default:
		r = Range{max(1, r.From-c.Padding), min(count, r.To+c.Padding)}
	}
	s.Range = Range{r.From, r.From}
	limit := c.MaxBytes
	if limit <= 0 {
		limit = defaultSpan
	}
	var text strings.Builder
	n := r.From
	for line, err := range lines.Lines(ctx, r.From, r.To) {
		if err != nil {
			return Span{}, err
		}
		line = strings.ToValidUTF8(line, "\ufffd")
		if n > r.From {
			if text.Len()+1+len(line) > limit {
				s.Truncated = true
				break
			}
			text.WriteByte('\n')
		} else if len(line) > limit {
			line, s.Truncated = cut(line, limit), true
		}
		text.WriteString(line)
		s.To = n
		n++
		if s.Truncated && n == r.From+1 && text.Len() >= limit {
			break
		}
	}
	s.Text = text.String()
	return s, nil
}

// cut cuts a text after max bytes, between characters.
func cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}
