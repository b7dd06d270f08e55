package export

import (
	"fmt"

	"github.com/blq-ci/blq/store"
)

// cursor is the position at which the next part of a document begins.
type cursor struct {
	phase phase
	after int // number of the last event that was written, or number of tests that were written
	count int // number of events or tests that were written
}

// phase is the section of a document that is being written.
type phase int

const (
	phaseHead phase = iota
	phaseEvents
	phaseTests
)

// String returns the cursor as a text for Params.Next. It returns "" at the beginning of a document and after its end.
func (c cursor) String() string {
	if c.phase == phaseHead {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d", c.phase, c.after, c.count)
}

// parseCursor parses a text that String has returned. Invalid: the text is something else.
func parseCursor(text string) (cursor, error) {
	var c cursor
	if text == "" {
		return c, nil
	}
	n, err := fmt.Sscanf(text, "%d.%d.%d", &c.phase, &c.after, &c.count)
	if n != 3 || err != nil || c.phase < phaseEvents || c.phase > phaseTests || c.after < 0 || c.count < 0 ||
		c.String() != text {
		return cursor{}, store.Hint(store.Errorf(store.Invalid, "%.40q continues no document", text),
			"leave next out to begin anew")
	}
	return c, nil
}
