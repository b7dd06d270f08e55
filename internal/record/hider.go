package record

import (
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/store"
)

// Hider removes secrets from a run before it leaves the machine.
type Hider struct {
	Redactor *redact.Redactor // nil for none
	// Known is the number of secret values that were known before the run, or -1 if this number is unknown.
	Known int
}

// NewHider returns a Hider with the secrets of this process's environment. It is for runs that another process
// recorded, which may have known fewer secrets.
func NewHider() Hider { return Hider{Redactor: Redactor(), Known: -1} }

// Late reports whether more values are secret now than before the run.
func (h Hider) Late() bool { return h.Redactor != nil && h.Redactor.Values() > h.Known }

// Run removes secrets from the facts of a run.
func (h Hider) Run(r *store.Run) { Hide(h.Redactor, r) }

// Blank replaces the secrets in a log's text with asterisks of the same length.
func (h Hider) Blank(text []byte) []byte { return h.Redactor.Blank(text) }

// Event removes secrets from a stored event.
func (h Hider) Event(e *store.Event) { hideLate(h.Redactor, e) }
