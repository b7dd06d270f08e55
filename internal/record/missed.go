package record

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/store"
)

// noteMissed notes a run that cannot be recorded because the project cannot be opened. The note never has secrets.
func (s Spec) noteMissed(ctx context.Context, why error) *project.MissedNote {
	if why == nil || s.Folder == "" {
		return nil
	}
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return nil
	}
	redactor := make(chan *redact.Redactor, 1)
	go func() {
		if s.Redactor != nil {
			redactor <- s.Redactor
		} else {
			redactor <- Redactor()
		}
	}()
	run, r, err := s.describe(ctx, project.Top(dir), redactor)
	if err != nil {
		return nil
	}
	return noteMissed(s.Folder, run, r, why)
}

// noteMissed writes a note without the secrets that r knows. r may be nil.
func noteMissed(dir string, run store.Run, r *redact.Redactor, why error) *project.MissedNote {
	if r != nil {
		why = errors.New(r.String(why.Error()))
	}
	return project.NoteMissed(dir, run, why)
}

// MissLog notes in Spec.Folder that a log could not be recorded, because the project could not be opened. exitCode is
// the exit code of the log's command, nil if unknown.
func MissLog(ctx context.Context, spec Spec, why error, exitCode *int) {
	endMissedLog(spec.noteMissed(ctx, why), exitCode)
}

// endMissedLog ends the note about a log. Without an exit code the run counts as orphaned, because nothing is known of
// its errors.
func endMissedLog(n *project.MissedNote, exitCode *int) {
	if exitCode == nil {
		n.Leave()
		return
	}
	n.End(store.Ending{FinishedAt: time.Now(), ExitCode: exitCode})
}

// RecordMissed stores the runs that could not be recorded when they began. Of the log of such a run, nothing is known.
// It calls told with each stored run that has ended. told may be nil. Errors: unavailable if a run still cannot be
// stored. If that run passed, there is no error, because an older run of the step cannot hide its failure.
func RecordMissed(ctx context.Context, w *project.Project, told func(store.Run)) error {
	var broken error // why the store accepts nothing; each further attempt could take seconds
	return w.EachMissed(ctx, func(m project.Missed, going bool) (bool, error) {
		r, err := store.Run{}, broken
		if broken == nil {
			r, err = storeMissed(ctx, w, m, going)
		}
		if err == nil && told != nil && r.State != store.StateRunning {
			told(r)
		}
		switch {
		case err == nil, slices.Contains(unstorable, store.CodeOf(err)):
			return true, nil
		case broken == nil:
			broken = err
		}
		if m.Run.State == store.StateCompleted && m.Run.Status() == store.StatusOK {
			return false, nil
		}
		return false, unknownRun(m, err)
	})
}

// unstorable are the codes of errors about a run that was pruned, or that no store accepts.
var unstorable = []store.Code{store.Conflict, store.NotFound, store.Invalid}

// storeMissed stores a run, and how it ended. The parameter going says that it has not ended.
func storeMissed(ctx context.Context, w *project.Project, m project.Missed, going bool) (store.Run, error) {
	if err := w.Writable(); err != nil {
		return store.Run{}, err
	}
	run, now := m.Run, time.Now()
	if late := run.StartedAt.Add(2 * time.Minute); now.Before(late) {
		now = late // the run counts as late, so its start decides which runs are newer
	}
	run.HeartbeatAt = now
	stored, err := start(ctx, w.Store, run)
	switch {
	case err != nil:
		return stored, err
	case going:
		return stored, w.Store.Heartbeat(ctx, run.Attempt, now)
	case run.State != store.StateCompleted:
		if _, err := w.Store.OrphanRun(ctx, run.Attempt, now); err != nil {
			return stored, err
		}
		return w.Store.Run(ctx, store.Everything(), store.Ref{Attempt: run.Attempt})
	}
	ending := run.Ending
	ending.Lost = "its log: " + m.Why
	return w.Store.FinishRun(ctx, run.Attempt, store.Finish{Ending: ending})
}

// unknownRun returns the error for a run that questions do not know. Without it, an answer could take an older run of
// the step for the newest one.
func unknownRun(m project.Missed, err error) error {
	how := "has not ended, or was killed"
	if m.Run.State == store.StateCompleted {
		how = "ended as " + string(m.Run.Status())
	}
	return store.Next(store.Errorf(store.Unavailable, "a run of %s from %s %s, but cannot be recorded: %w",
		m.Run.Source, m.Run.StartedAt.Local().Format(time.DateTime), how, err),
		store.Shell{Line: "rm " + shellword.Quote(m.Path), Why: "forgets that run"})
}
