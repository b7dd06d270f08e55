package query

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/store"
)

// Status is the newest state of each source.
type Status struct {
	Sources []SourceStatus `json:"sources" jsonschema:"newest first: name, status (RUNNING, OK, FAIL, TIMEOUT, CANCELLED or ORPHANED), error_count, warning_count, last_run, run_id" schema:"open"`
}

// SourceStatus is the newest run of a source in short.
type SourceStatus struct {
	Repo     string       `json:"repo,omitempty" jsonschema:"owner/name, where there are several"`
	Name     string       `json:"name" jsonschema:"of the source"`
	Status   store.Status `json:"status" jsonschema:"RUNNING, OK, FAIL, TIMEOUT, CANCELLED or ORPHANED"`
	Errors   int          `json:"error_count" jsonschema:"errors"`
	Warnings int          `json:"warning_count" jsonschema:"warnings"`
	LastRun  string       `json:"last_run" jsonschema:"start of that run"`
	RunID    int          `json:"run_id" jsonschema:"serial of the newest run of its worst step"`
	Going
	LeftOut string `json:"left_out,omitempty" jsonschema:"why it does not count any more"`
}

// StatusParams select the runs.
type StatusParams struct {
	Since string `json:"since,omitempty"` // only runs that started then or later, as RFC 3339 has it
	At           // where the runs happened
}

// Status returns one run of each source, newest first: the newest run of its worst step. The steps of a source differ
// in command, directory or leg of a matrix.
func (a *Asker) Status(ctx context.Context, p StatusParams) (Status, error) {
	s := Status{Sources: []SourceStatus{}}
	runs, err := a.newestSince(ctx, p.At, p.Since)
	if err != nil {
		return s, err
	}
	in, out, err := a.current(ctx, runs)
	if err != nil {
		return s, err
	}
	why := map[string]string{}
	for _, o := range out {
		why[o.Ref().String()] = o.Why
	}
	counted := map[string]bool{}
	for _, r := range in {
		counted[r.Repo+"@"+r.Source] = true
	}
	shown := slices.DeleteFunc(runs, func(r store.Run) bool { // a source that counts shows no step that does not
		return why[r.Ref().String()] != "" && counted[r.Repo+"@"+r.Source]
	})
	for _, r := range worstSteps(shown) {
		s.Sources = append(s.Sources, SourceStatus{
			r.Repo, r.Source, r.Status(), r.Errors, r.Warnings, stamp(r.StartedAt), r.Serial, a.going(r), why[r.Ref().String()],
		})
	}
	return s, nil
}
