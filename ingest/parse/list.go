package parse

import "sync"

// List holds formats in their order: a line is offered to the first format first. Specific formats come before
// general ones.
type List struct {
	formats  []Format
	triggers func() *triggers
}

// NewList returns a list of formats. The search for their triggers is built when a parser first needs it, and is shared
// by all parsers.
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

// with returns a list of the formats in first, followed by the formats of l.
func (l *List) with(first ...Format) *List {
	return NewList(append(first, l.Formats()...)...)
}
