package ask

import (
	"context"

	"github.com/blq-ci/blq/store"
)

// Diff says what changed between two runs.
type Diff struct {
	Summary DiffSummary `json:"summary"`
	Fixed   []DiffEvent `json:"fixed"`
	New     []DiffEvent `json:"new"`
}

// DiffSummary counts errors.
type DiffSummary struct {
	Run1      int `json:"run1_errors"`
	Run2      int `json:"run2_errors"`
	Fixed     int `json:"fixed"`
	New       int `json:"new"`
	Unchanged int `json:"unchanged"`
}

// DiffEvent is an error that is fixed or new; fixed ones have no ref, since
// they are not in the later run.
type DiffEvent struct {
	Ref     string `json:"ref,omitempty"`
	File    string `json:"ref_file,omitempty"`
	Message string `json:"message"`
	Line    int    `json:"-"`
}

// Diff compares the errors of two runs, the earlier one first.
func (a *Asker) Diff(ctx context.Context, run1, run2 string) (Diff, error) {
	base, err := a.errors(ctx, run1)
	if err != nil {
		return Diff{}, err
	}
	head, err := a.errors(ctx, run2)
	if err != nil {
		return Diff{}, err
	}
	c := store.Compare(base, head)
	d := Diff{
		Summary: DiffSummary{len(base), len(head), len(c.Fixed), len(c.New), len(c.Unchanged)},
		Fixed:   []DiffEvent{}, New: []DiffEvent{},
	}
	for _, e := range c.Fixed {
		d.Fixed = append(d.Fixed, DiffEvent{File: Clean(e.File), Message: Clean(title(e.Event)), Line: e.Line})
	}
	for _, e := range c.New {
		d.New = append(d.New, DiffEvent{Ref: e.Ref().Short(), File: Clean(e.File), Message: Clean(title(e.Event)), Line: e.Line})
	}
	return d, nil
}

func (a *Asker) errors(ctx context.Context, ref string) ([]store.RunEvent, error) {
	r, _, err := a.run(ctx, ref)
	if err != nil {
		return nil, err
	}
	page, err := a.Store.Events(ctx, a.Scope, store.EventFilter{
		Runs: store.RunFilter{Attempts: []string{r.Attempt}}, Severities: []store.Severity{store.SeverityError},
	})
	return page.Events, err
}
