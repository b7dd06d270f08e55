package query

import "github.com/blq-ci/blq/store"

// Title returns the name of an event's test and its message, safe to show.
func Title(e store.Event) string { return Clean(title(e)) }
