package record

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/store"
)

// open stores a described run, and returns its session. The session redacts with r. If r is nil, the session does not
// redact.
func open(ctx context.Context, w *project.Project, spec Spec, run store.Run, r *redact.Redactor) (*session, error) {
	if r == nil {
		if err := w.NoteUnredacted(run.Attempt); err != nil {
			return nil, fmt.Errorf("note that secrets stay in the log: %w", err)
		}
	}
	dir, err := filepath.Abs(spec.Dir)
	if err != nil {
		return nil, err
	}
	live, err := w.MarkLive(run.Attempt)
	if err != nil {
		return nil, fmt.Errorf("mark the run as live: %w", err)
	}
	stored, err := start(ctx, w.Store, run)
	if err != nil {
		live.Release()
		return nil, err
	}
	s, err := newSession(w, stored, dir, run.StartedAt, spec, live)
	if err != nil {
		live.Release()
		return nil, err
	}
	if r != nil {
		s.redactWith(r)
	}
	return s, nil
}
