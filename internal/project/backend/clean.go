package backend

import (
	"context"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/runner"
)

// Clean removes the data that the mode names. Errors: those of project.Project.Clean, conflict when the folder would be
// recreated while a run is being recorded, not_found when nothing has been recorded.
func (b *Backend) Clean(ctx context.Context, mode string, days int, source string) (runner.Cleaned, error) {
	dir, err := project.Find(b.dir, b.getenv)
	if err != nil {
		return runner.Cleaned{}, err
	}
	m := project.CleanMode(mode)
	if m == project.CleanSchema || m == project.CleanFull {
		return cleaned(b.reset(ctx, dir, m))
	}
	return with(ctx, b, func(f *folder) (runner.Cleaned, error) {
		if err := (current{b}).missing(f); err != nil {
			return runner.Cleaned{}, err
		}
		w, err := f.fresh()
		if err != nil {
			return runner.Cleaned{}, err
		}
		return cleaned(w.Clean(ctx, m, days, source))
	})
}

// reset recreates the folder after the current questions are answered. New questions wait until this is done.
func (b *Backend) reset(ctx context.Context, dir string, mode project.CleanMode) (project.Cleaned, error) {
	if err := b.lock(); err != nil {
		return project.Cleaned{}, err
	}
	defer b.mu.Unlock()
	if b.recording > 0 {
		return project.Cleaned{}, project.Busy(dir)
	}
	b.resetting = true
	defer func() { b.resetting = false; b.changed.Broadcast() }()
	old := b.now
	if err := b.retire(); err != nil {
		return project.Cleaned{}, err
	}
	for old != nil && old.users > 0 {
		b.changed.Wait()
	}
	return project.Reset(ctx, dir, mode)
}

func cleaned(c project.Cleaned, err error) (runner.Cleaned, error) {
	if err != nil {
		return runner.Cleaned{}, err
	}
	out := runner.Cleaned{Success: true, Message: c.Message, Mode: string(c.Mode)}
	if p := c.Removed; p != nil {
		out.Removed = &runner.Removed{Invocations: p.Runs, Events: p.Events, Blobs: p.Blobs, BytesFreed: p.Bytes}
	}
	return out, nil
}
