package parse

import "sync"

// List is an ordered list of formats. A line is offered to them in their order, so specific formats come before general
// ones.
type List struct {
	formats  []Format
	triggers func() *triggers
}

// NewList returns a list of formats. All parsers with this list share the search for the literals of the formats. The
// search is built when the first parser needs it.
func NewList(formats ...Format) *List {
	return &List{formats, sync.OnceValue(func() *triggers { return newTriggers(formats) })}
}

// Formats returns the formats in their order.
func (l *List) Formats() []Format {
	if l == nil {
		return nil
	}
	return l.formats
}

// with returns a list of the formats in front, followed by the formats of l.
func (l *List) with(front ...Format) *List {
	return NewList(append(front, l.Formats()...)...)
}
