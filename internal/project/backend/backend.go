// Package backend runs blq on one machine. It answers questions from the project's .lq folder, and runs and registers
// commands there. The command line and the MCP server share it. The package may import packages for recording and
// for questions, such as facts, query and store.
package backend

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/internal/architecture"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/docindex"
	"github.com/blq-ci/blq/internal/project/realms"
	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Backend serves one project while a server runs. It is safe for concurrent use.
type Backend struct {
	getenv func(string) string
	dir    string // the directory in which the server was started

	life  context.Context // context of the commands that the backend runs
	end   context.CancelFunc
	going sync.WaitGroup // number of running commands

	indexes *docindex.Cache
	graphs  *architecture.Cache
	secrets secrets
	parts   query.Parts

	mu        sync.Mutex
	changed   sync.Cond // signals changes of users and resetting
	now       *folder   // the open folder, nil before the first use
	recording int       // number of runs in progress
	running   map[string]*attempt
	resetting bool
	closed    bool
}

var _ runner.Registry = (*Backend)(nil)

// New returns the backend for the project of a directory. The backend opens or creates a file only when it needs it.
func New(getenv func(string) string, dir string) *Backend {
	b := &Backend{getenv: getenv, dir: dir, running: map[string]*attempt{}, indexes: docindex.New(maxIndexes, nil),
		graphs: architecture.New(maxGraphs, nil)}
	b.life, b.end = context.WithCancel(context.Background())
	b.changed.L = &b.mu
	b.secrets = ofEnvironment(func() bool {
		config, err := ReadConfig(dir, getenv)
		return err == nil && config.Redact.Off
	})
	return b
}

// Ask returns the asker of the project. Each question is answered from the folder that exists when the question is
// asked. A missing folder counts as an empty folder.
func (b *Backend) Ask(context.Context) (*query.Asker, error) {
	root := Root(b.dir, b.getenv)
	own := b.realms(root)
	return &query.Asker{
		Store: current{b}, Blobs: currentBlobs{b}, Scope: store.Everything(), Root: root,
		Git:      git{b.secrets, &ci.Lookups{}},
		Ancestry: ancestry{root, b.secrets}, Hide: b.secrets.hide, HideText: b.secrets.hideText(), Stale: b.salvage,
		Defined: b.defined,
		Docs:    b.documentation(root),
		Graphs:  localGraphs{b}, Realms: own, Work: b.work(own), Parts: &b.parts,
	}, nil
}

// realms returns a finder for the realm of the project at root.
func (b *Backend) realms(root string) realms.Project {
	home, _ := os.UserHomeDir()
	return realms.Project{Root: root, Home: home, Top: func(dir string) string { return Root(dir, b.getenv) }}
}

// HasRealm reports whether the project is a member of a realm, or is itself the repository of a realm.
func (b *Backend) HasRealm() bool {
	root := Root(b.dir, b.getenv)
	return slices.ContainsFunc([]string{realm.ConfigFile, "realm.yaml", "realm.yml"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
		return err == nil
	})
}

// Close cancels the running commands, records them as cancelled, and closes the store.
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
