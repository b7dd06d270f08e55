// Package backend is blq on one machine: it answers from the project's .lq
// folder and runs and registers commands there, for the command line and for
// agents alike. It may import what the command line may, but no report.
package backend

import (
	"context"
	"sync"

	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Backend serves one project for as long as a server lives. Its methods may be
// called from several goroutines.
type Backend struct {
	getenv func(string) string
	dir    string // where the server was started

	life  context.Context // of the commands that it runs
	end   context.CancelFunc
	going sync.WaitGroup // commands

	mu        sync.Mutex
	changed   sync.Cond // of users and resetting
	now       *folder   // what questions are answered from, nil before the first
	recording int       // runs that are being recorded
	resetting bool
	closed    bool
}

var _ mcp.Registry = (*Backend)(nil)

// New returns the backend of the project that a directory belongs to. Nothing
// is opened or made before it is needed.
func New(getenv func(string) string, dir string) *Backend {
	b := &Backend{getenv: getenv, dir: dir}
	b.life, b.end = context.WithCancel(context.Background())
	b.changed.L = &b.mu
	return b
}

// Ask returns the asker of the project. It answers from the folder that is
// there at the moment of each question, and from nothing while there is none.
func (b *Backend) Ask(context.Context) (*query.Asker, error) {
	root := Root(b.dir, b.getenv)
	return &query.Asker{
		Store: current{b}, Blobs: currentBlobs{b}, Scope: store.Everything(), Root: root, Git: git{}, Ancestry: ancestry{root}, Stale: b.salvage,
	}, nil
}

// Close ends the commands that still run, records them as cancelled, and
// releases the store.
func (b *Backend) Close() error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.end()
	b.going.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.retire()
}
