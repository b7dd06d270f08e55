package store

import (
	"cmp"
	"slices"
	"time"
)

// lateAfter is how long after its start a run may reach the store before it counts as late.
const lateAfter = time.Minute

// Late reports whether the run reached the store long after it began, as one does that a client kept while the server
// was down. Its serial then says nothing of what ran before it.
func (r Run) Late() bool { return !r.OpenedAt.IsZero() && r.OpenedAt.Sub(r.StartedAt) > lateAfter }

// began returns when the run began, by the store's clock where that is known.
func (r Run) began() time.Time {
	if r.OpenedAt.IsZero() || r.Late() {
		return r.StartedAt
	}
	return r.OpenedAt
}

// Follows reports whether the run began after another run of its repository. Serials tell, unless one of them is late.
func (r Run) Follows(o Run) bool { return r.order(o) > 0 }

func (r Run) order(o Run) int {
	if r.Late() || o.Late() {
		return cmp.Or(r.began().Compare(o.began()), cmp.Compare(r.Serial, o.Serial))
	}
	return cmp.Compare(r.Serial, o.Serial)
}

// maxLate bounds how many runs that arrived before a late one are read for the one that began last.
const maxLate = 100

// WithoutLate returns the newest runs of steps, newest first, where a late run stands for no run of its step that began
// after it. The runs were selected with f by their serials; find reads runs.
func WithoutLate[R any](runs []R, f RunFilter, run func(R) Run, find func(RunFilter) ([]R, error)) ([]R, error) {
	if !slices.ContainsFunc(runs, func(r R) bool { return run(r).Late() }) {
		return runs, nil
	}
	runs = slices.Clone(runs)
	for i, r := range runs {
		late := run(r)
		if !late.Late() {
			continue
		}
		leg, g := late.Leg(), f
		g.Newest, g.Limit, g.Before = false, maxLate, late.Serial
		g.Repo, g.Source, g.Leg, g.Shape = late.Repo, late.Source, &leg, late.Shape
		if g.Since.Before(late.StartedAt) {
			g.Since = late.StartedAt
		}
		found, err := find(g)
		if err != nil {
			return nil, err
		}
		for _, o := range found {
			if run(o).Step() == late.Step() && run(o).Follows(run(runs[i])) {
				runs[i] = o
			}
		}
	}
	slices.SortStableFunc(runs, func(x, y R) int { return run(y).began().Compare(run(x).began()) })
	return runs, nil
}
