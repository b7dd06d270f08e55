package query

import (
	"context"
	"slices"
	"sort"

	"github.com/blq-ci/blq/store"
)

// DashboardParams select sources.
type DashboardParams struct {
	Repo   string
	Source string
	Branch string
	// Steps tells the steps of a source apart: commands, directories, legs of a matrix.
	Steps bool
	Runs  int // max runs of each row
}

// Dashboard says how each source is on each branch, and how it was before.
type Dashboard struct {
	Rows   []Trend
	Looked int  // runs
	More   bool // there are earlier runs, which were not looked at
}

// Trend is a source on a branch.
type Trend struct {
	Repo   string
	Source string
	Branch string
	Step   string // what tells it apart, "" for all steps of the source
	// Worst is the run that says how the source is: the newest of its most urgent step.
	Worst   Point
	LeftOut string  // why Worst does not count any more
	Runs    []Point // that have ended, oldest first
}

// Point is a run in a trend.
type Point struct {
	RunRef   string
	Status   store.Status
	Seconds  float64
	Errors   int
	Warnings int
	Commit   string
	Started  string
}

// dashboardRuns is how many runs are looked at.
const dashboardRuns = 1000

// Dashboard returns the sources of a repository on its branches, those with the newest runs first. The newest run of
// each step is always among them.
func (a *Asker) Dashboard(ctx context.Context, p DashboardParams) (Dashboard, error) {
	if err := a.sweep(ctx); err != nil {
		return Dashboard{}, err
	}
	f := store.RunFilter{Source: p.Source, Limit: dashboardRuns}
	if err := a.at(ctx, At{Repo: p.Repo, Branch: p.Branch}, &f); err != nil {
		return Dashboard{}, err
	}
	if p.Source != "" {
		if err := a.knownSource(ctx, p.Source); err != nil {
			return Dashboard{}, err
		}
	}
	runs, err := a.Store.Runs(ctx, a.Scope, f)
	if err != nil {
		return Dashboard{}, err
	}
	d := Dashboard{Looked: len(runs), More: len(runs) == dashboardRuns}
	if d.More { // steps that ran last before these
		f.Newest, f.Limit = true, 0
		newest, err := a.Store.Runs(ctx, a.Scope, f)
		if err != nil {
			return Dashboard{}, err
		}
		runs = append(runs, besides(runs, newest)...)
	}
	d.Rows, err = a.trends(ctx, runs, p)
	return d, err
}

// besides returns the runs of a list that are not among others.
func besides(others, list []store.Run) []store.Run {
	among := map[string]bool{}
	for _, r := range others {
		among[r.Attempt] = true
	}
	return slices.DeleteFunc(list, func(r store.Run) bool { return among[r.Attempt] })
}

// trendKey is what the runs of a trend have in common.
type trendKey struct{ repo, source, branch, step string }

func (a *Asker) trends(ctx context.Context, runs []store.Run, p DashboardParams) ([]Trend, error) {
	type place struct {
		step   store.Step
		branch string
	}
	rows := map[trendKey]*Trend{}
	newest := map[place]bool{}
	var order []trendKey
	var heads []store.Run // the newest run of each step on each branch
	for _, r := range runs {
		k := trendKeyOf(r, p.Steps)
		if rows[k] == nil {
			rows[k] = &Trend{Repo: r.Repo, Source: r.Source, Branch: Clean(r.Git.Branch)}
			if p.Steps {
				rows[k].Step = Clean(r.Leg())
				if rows[k].Step == "" {
					rows[k].Step = Clean(r.Command)
				}
			}
			order = append(order, k)
		}
		if at := (place{r.Step(), r.Git.Branch}); !newest[at] {
			newest[at] = true
			heads = append(heads, r)
		}
		if t := rows[k]; r.State != store.StateRunning && len(t.Runs) < p.Runs {
			t.Runs = append(t.Runs, newPoint(r))
		}
	}
	if err := a.worst(ctx, heads, rows, p.Steps); err != nil {
		return nil, err
	}
	list := make([]Trend, 0, len(order))
	for _, k := range order {
		t := rows[k]
		slices.Reverse(t.Runs)
		list = append(list, *t)
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Repo < list[j].Repo })
	return list, nil
}

func trendKeyOf(r store.Run, steps bool) trendKey {
	k := trendKey{r.Repo, r.Source, r.Git.Branch, ""}
	if steps {
		k.step = r.Step().Key()
	}
	return k
}

// worst finds the run of each row that says how it is.
func (a *Asker) worst(ctx context.Context, heads []store.Run, rows map[trendKey]*Trend, steps bool) error {
	in, out, err := a.current(ctx, heads)
	if err != nil {
		return err
	}
	most := map[trendKey]int{}
	for _, r := range in {
		k := trendKeyOf(r, steps)
		if t := rows[k]; t.Worst.RunRef == "" || urgency(r) > most[k] {
			t.Worst, most[k] = newPoint(r), urgency(r)
		}
	}
	for _, o := range out {
		if t := rows[trendKeyOf(o.Run, steps)]; t.Worst.RunRef == "" {
			t.Worst, t.LeftOut = newPoint(o.Run), o.Why
		}
	}
	return nil
}

func newPoint(r store.Run) Point {
	return Point{RunRef: r.Ref().String(), Status: r.Status(), Seconds: seconds(r.Duration()), Errors: r.Errors,
		Warnings: r.Warnings, Commit: r.Git.Commit, Started: stamp(r.StartedAt)}
}
