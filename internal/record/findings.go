package record

import (
	"context"
	"errors"
	"time"

	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/store"
)

// Finding is an event that blq found itself, with its log line.
type Finding struct {
	store.Event
	Line string // without a line end
}

// Findings records findings of blq as a run. The log has the lines of the findings, and then the summary. The run
// belongs to the commit and not to a job. So in CI it has no matrix leg, job or step.
func Findings(ctx context.Context, w *project.Project, spec Spec, list []Finding, summary string, exitCode int) (
	store.Run, error) {
	spec.ofCommit = true
	s, missed, err := begin(ctx, w, spec)
	if err != nil {
		missed.endWithoutLog(store.Ending{FinishedAt: time.Now(), ExitCode: &exitCode})
		return store.Run{}, err
	}
	defer s.lock.Release()
	s.options.Formats = nil // the log contains nothing beyond the events
	s.findings = make([]store.Event, len(list))
	for i, f := range list {
		f.LogLine, f.LogLineEnd = i+1, i+1
		s.findings[i] = f.Event
		_ = s.sink(capture.Combined, []byte(f.Line+"\n")) // never fails
	}
	_ = s.sink(capture.Combined, []byte(summary+"\n"))
	run, err := s.finish(ctx, store.Ending{FinishedAt: time.Now(), ExitCode: &exitCode})
	if err == nil && run.Lost != "" {
		err = errors.New(run.Lost)
	}
	return run, err
}

// facts sets the commit of findings, and removes the job's facts that a run with findings must not have.
func (s Spec) facts(run *store.Run) {
	if s.Commit != "" {
		run.Git.Commit, run.Git.Branch, run.Git.Dirty = s.Commit, s.Branch, false
	}
	if s.ofCommit && run.CI != nil {
		run.CI.Matrix, run.CI.Job, run.CI.Step = "", "", ""
	}
}
