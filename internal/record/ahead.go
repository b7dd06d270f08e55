package record

import (
	"context"
	"path/filepath"

	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/store"
)

// Ahead looks up the git facts of a directory and makes a redactor, while the project is being opened. The recording of
// a command needs both.
type Ahead struct {
	dir      string
	git      chan store.Git
	redactor chan *redact.Redactor
}

// LookAhead starts to look up the facts of a directory, "" for the current directory. The result is for Spec.Ahead. raw
// says that no redactor is needed.
func LookAhead(ctx context.Context, dir string, raw bool) *Ahead {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	a := &Ahead{dir: dir, git: make(chan store.Git, 1), redactor: make(chan *redact.Redactor, 1)}
	go func() { a.git <- ci.Git(ctx, dir) }()
	if !raw {
		go func() { a.redactor <- Redactor() }()
	}
	return a
}

// gitOf returns the git facts of a directory.
func (s Spec) gitOf(ctx context.Context, dir string) store.Git {
	if s.Ahead == nil || s.Ahead.dir != dir {
		return ci.Git(ctx, dir)
	}
	return <-s.Ahead.git
}

// newRedactor returns a redactor for the environment's secrets and token shapes.
func (s Spec) newRedactor() *redact.Redactor {
	if s.Ahead == nil {
		return Redactor()
	}
	return <-s.Ahead.redactor
}
