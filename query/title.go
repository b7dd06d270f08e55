package query

import "github.com/blq-ci/blq/store"

// Title returns the name of an event's test and the event's message. It leaves out the name if the message contains the
// name. The text is safe to show.
func Title(e store.Event) string { return Clean(title(e)) }
