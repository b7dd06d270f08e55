package query

import "github.com/blq-ci/blq/store"

// Title is the clean message of an event, after the name of its test.
func Title(e store.Event) string { return Clean(title(e)) }
