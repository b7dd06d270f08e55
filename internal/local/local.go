// Package local is blq on one machine: it answers from the project's .lq
// folder and runs and registers commands there, for the command line and for
// agents alike. It may import what the command line may, but capture.
package local

import (
	"context"
	"time"

	"github.com/blq-ci/blq/ask"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/store"
)

// Backend serves one project for as long as a server lives.
type Backend struct {
	getenv  func(string) string
	dir     string
	version string
}

var _ mcp.Commands = (*Backend)(nil)

// New returns the backend of the project that a directory belongs to. Nothing
// is opened or made before it is needed.
func New(getenv func(string) string, dir, version string) *Backend {
	return &Backend{getenv: getenv, dir: dir, version: version}
}

// Ask returns the asker of the project.
func (b *Backend) Ask(context.Context) (*ask.Asker, error) { return nil, unfinished() }

// Close ends the commands that still run, records them as cancelled, and
// releases the store.
func (b *Backend) Close() error { return nil }

// List returns the registered commands, sorted by name.
func (b *Backend) List(context.Context) ([]mcp.Command, error) { return nil, unfinished() }

// Run runs a registered command, or with Exec any.
func (b *Backend) Run(context.Context, mcp.RunRequest, time.Duration) (mcp.Started, error) {
	return mcp.Started{}, unfinished()
}

// Register adds a command, or says that it is there already.
func (b *Backend) Register(context.Context, mcp.Command, bool) (mcp.Registered, error) {
	return mcp.Registered{}, unfinished()
}

// Unregister removes a command.
func (b *Backend) Unregister(context.Context, string) error { return unfinished() }

// Clean removes runs.
func (b *Backend) Clean(context.Context, string, int) (mcp.Cleaned, error) {
	return mcp.Cleaned{}, unfinished()
}

func unfinished() error { return store.Errorf(store.Unavailable, "commands cannot be run yet") }
