package client

import (
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// Hider removes secrets from the data that a Pusher sends. It is needed for secrets that became known only after the
// run was stored.
type Hider interface {
	// Late reports whether secrets may have become known only after the run was stored.
	Late() bool
	// Run removes the secrets from the facts of a run.
	Run(r *store.Run)
	// Blank returns text of the same length, with the secrets overwritten.
	Blank(text []byte) []byte
	// Event removes the secrets from an event.
	Event(e *store.Event)
}

// hidden returns the object of a chunk. It overwrites secrets that became known only after the run was stored. A second
// call for the same chunk returns the same object, because the service may already have that object.
func (u *upload) hidden(c store.Chunk, object []byte) ([]byte, error) {
	if u.Hide == nil {
		return object, nil
	}
	u.mu.Lock()
	tried, again := u.tried[c.Sequence]
	u.mu.Unlock()
	switch {
	case again:
		return tried, nil
	case u.Hide.Late():
		var err error
		if object, err = chunk.Rewrite(object, c, u.Hide.Blank); err != nil {
			return nil, err
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.tried == nil {
		u.tried = map[int][]byte{}
	}
	u.tried[c.Sequence] = object
	return object, nil
}

// arrived drops the kept object of a chunk, because the service has it.
func (u *upload) arrived(c store.Chunk) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.tried, c.Sequence)
}

// event returns an event in the form in which it is sent.
func (u *upload) event(e store.Event) api.Event {
	if u.Hide != nil && u.Hide.Late() {
		u.Hide.Event(&e)
	}
	return newEvent(e)
}
