package record

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/store"
)

// noteMissed notes a run that cannot be recorded because the project cannot be opened. Known secrets are removed from
// the note.
func (s Spec) noteMissed(ctx context.Context, why error) *missedRun {
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
func noteMissed(dir string, run store.Run, r *redact.Redactor, why error) *missedRun {
	if r != nil {
		why = errors.New(r.String(why.Error()))
	}
	n := project.NoteMissed(dir, run, why)
	if n == nil {
		return nil
	}
	m := &missedRun{note: n}
	if r != nil && run.CI == nil {
		m.redactWith(r)
	}
	return m
}

// missedRun is a run that cannot be recorded. It keeps the run's log without secrets. In CI it keeps no log, because a
// job may mask a value after the value was printed, and the value would stay in the log.
type missedRun struct {
	note  *project.MissedNote
	clean map[capture.Stream]*redact.Stream // nil if the log is not kept
}

// redactWith makes the run keep its log, without the secrets that r finds.
func (m *missedRun) redactWith(r *redact.Redactor) {
	m.clean = map[capture.Stream]*redact.Stream{}
	for _, name := range streams {
		m.clean[name] = r.Stream(func(text []byte) { m.note.Keep(string(name), text) })
	}
}

// keep keeps output of the run.
func (m *missedRun) keep(stream capture.Stream, text []byte) {
	if m != nil && m.clean != nil {
		_, _ = m.clean[stream].Write(text) // never fails
	}
}

// end notes the end of the run, and returns the files with the kept log.
func (m *missedRun) end(e store.Ending) (files []string) {
	if m == nil {
		return nil
	}
	for _, s := range m.clean {
		s.Close()
	}
	if m.clean == nil {
		m.endWithoutLog(e)
		return nil
	}
	return m.note.EndKept(e)
}

// missEnd writes a note with the end of a run, because the store did not accept the end. If the note cannot be written,
// the run counts as orphaned.
func (s *session) missEnd(e store.Ending, why error) {
	m := noteMissed(s.w.Dir, s.run, s.redactor, why)
	if m == nil {
		s.lock.Leave()
		return
	}
	m.endWithoutLog(e)
}

// MissLog notes that a log could not be recorded in Spec.Folder, because the project could not be opened. exitCode is
// the exit code of the log's command, nil if unknown.
func MissLog(ctx context.Context, spec Spec, why error, exitCode *int) {
	endMissedLog(spec.noteMissed(ctx, why), exitCode)
}

// endWithoutLog notes the end of the run. Its log is not kept.
func (m *missedRun) endWithoutLog(e store.Ending) {
	if m != nil {
		m.note.End(e)
	}
}

// endMissedLog ends the note about a log. Without an exit code the run counts as orphaned, because nothing is known of
// its errors.
func endMissedLog(m *missedRun, exitCode *int) {
	switch {
	case m == nil:
	case exitCode == nil:
		m.note.Leave()
	default:
		m.endWithoutLog(store.Ending{FinishedAt: time.Now(), ExitCode: exitCode})
	}
}

// RecordMissed stores the missed runs, with their logs if these were kept. The store could not be written when such a
// run began or ended. RecordMissed calls the function recovered, which may be nil, with each stored run that has ended.
// Errors: unavailable if a run that did not pass still cannot be stored. A missing run that passed is no error, because
// it hides no failure.
func RecordMissed(ctx context.Context, w *project.Project, recovered func(store.Run)) error {
	return recordMissed(ctx, w, math.MaxInt64, recovered)
}

// recordMissed does the same as RecordMissed, but leaves out runs whose logs have more than maxLog bytes.
func recordMissed(ctx context.Context, w *project.Project, maxLog int64, recovered func(store.Run)) error {
	var broken error // why the store accepts nothing; each further attempt could take seconds
	return w.EachMissed(ctx, func(m project.Missed, going bool) (bool, error) {
		if m.Kept && m.LogSize() > maxLog {
			return false, nil
		}
		r, err := store.Run{}, broken
		if broken == nil {
			r, err = storeMissed(ctx, w, m, going)
		}
		if err == nil && recovered != nil && r.State != store.StateRunning {
			recovered(r)
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

// unstorable are the codes of errors for which another try is useless: the run was pruned, or no store accepts it.
var unstorable = []store.Code{store.Conflict, store.NotFound, store.Invalid}

// storeMissed stores a run and its ending. The parameter going is true if the run goes on, and has no ending yet.
func storeMissed(ctx context.Context, w *project.Project, m project.Missed, going bool) (store.Run, error) {
	if err := w.Writable(); err != nil {
		return store.Run{}, err
	}
	run, now := m.Run, time.Now()
	if stored, err := w.Store.Run(ctx, store.Everything(), store.Ref{Attempt: run.Attempt}); err == nil &&
		stored.State == store.StateRunning && run.State == store.StateCompleted && !m.Kept {
		return storeEnd(ctx, w, stored, m)
	}
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
	if m.Kept && stored.State == store.StateRunning {
		return storeLog(ctx, w, stored, m)
	}
	ending := run.Ending
	ending.Lost = "its log: " + m.Why
	return w.Store.FinishRun(ctx, run.Attempt, store.Finish{Ending: ending})
}

// storeEnd ends a run that was stored without its end. It records that a part of the log may be lost.
func storeEnd(ctx context.Context, w *project.Project, run store.Run, m project.Missed) (store.Run, error) {
	if err := salvage(ctx, w, run); err != nil {
		return run, err
	}
	ending := m.Run.Ending
	ending.Lost = "part of the log: " + m.Why
	return w.Store.FinishRun(ctx, run.Attempt, store.Finish{Ending: ending, Chunks: -1, Batches: -1})
}

// storeLog stores the kept log of a stored run, with its events, and ends the run.
func storeLog(ctx context.Context, w *project.Project, run store.Run, m project.Missed) (store.Run, error) {
	s, err := newSession(w, run, run.Cwd, run.StartedAt, Spec{Format: run.Format}, nil)
	if err != nil {
		return run, err
	}
	s.late = true           // the files may have changed since
	s.redactor = Redactor() // the log has no secrets, but an event may join lines of it
	for _, name := range streams {
		s.fail(m.ReadLog(string(name), func(text []byte) { s.take(name, text) }))
	}
	return s.finish(context.WithoutCancel(ctx), m.Run.Ending)
}

// unknownRun returns the error for a run that is not stored. It warns users, because an answer may take an older run of
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
