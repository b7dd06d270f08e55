package query

import "github.com/blq-ci/blq/store"

// Title is the message of an event, after the name of the test that it is
// about, clean.
func Title(e store.Event) string { return Clean(title(e)) }
