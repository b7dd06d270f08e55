package parse

import "sync"

// List is formats in the order in which a line is offered to them: what is
// particular comes before what is general.
type List struct {
	formats  []Format
	triggers func() *triggers
}

// NewList returns a list of formats. What finds their triggers is made when a
// parser first needs it, once for all parsers.
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

// with returns the list with other formats before it.
func (l *List) with(first ...Format) *List {
	return NewList(append(first, l.Formats()...)...)
}
