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
	// Steps gives each step of a source its own row. The steps of a source differ in command, directory or leg of a
	// matrix.
	Steps bool
	Runs  int // max runs of each row
	Rows  int // max rows, 0 for all
}

// Dashboard is the state of each source on each branch, now and in earlier runs.
type Dashboard struct {
	Rows   []Trend
	Looked int  // runs that were read
	More   bool // there are earlier runs, which were not read
	Left   int  // number of rows that the limit Rows left out
	Red    int  // number of red rows among the rows that were left out (see red)
	// Unknown is true if the newest run of some step was not read.
	Unknown bool
}

// Trend is a row of the dashboard: the runs of a source on a branch.
type Trend struct {
	Repo   string
	Source string
	Branch string
	Step   string // how the step differs from others, "" for all steps of the source
	// Worst is the run that decides the state of the source: the newest run of its most urgent step, or an earlier
	// failure that still counts. If all runs of the source have stopped counting, Worst is one of them.
	Worst   Point
	LeftOut string // why Worst no longer counts, "" if it counts
	// Retired holds failed runs of retired steps, which later commits no longer run. It does not repeat the run in
	// Worst.
	Retired []OtherRun
	Runs    []Point // ended runs, oldest first
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

const (
	dashboardRuns  = 1000 // max number of newest runs that are read
	dashboardSteps = 1000 // max number of steps whose newest run is read at any age
)

// Dashboard returns the state of a repository's sources on their branches. Rows are sorted by repository. Of a
// repository's rows, red ones come first, and then those with the newest runs. The answer includes the newest run of
// each step, up to dashboardSteps steps.
func (a *Asker) Dashboard(ctx context.Context, p DashboardParams) (Dashboard, error) {
	if err := a.sweep(ctx); err != nil {
		return Dashboard{}, err
	}
	f := store.RunFilter{Source: p.Source, Limit: dashboardRuns + 1}
	at := At{Repo: p.Repo, Branch: p.Branch}
	if err := a.at(ctx, at, &f); err != nil {
		return Dashboard{}, err
	}
	if p.Source != "" {
		if err := a.knownSource(ctx, p.Source); err != nil {
			return Dashboard{}, err
		}
	}
	runs, err := a.reader().Runs(ctx, a.Scope, f)
	if err != nil {
		return Dashboard{}, err
	}
	d := Dashboard{More: len(runs) > dashboardRuns}
	runs = runs[:min(len(runs), dashboardRuns)]
	d.Looked = len(runs)
	if d.More { // adds steps whose newest run is older
		f.Newest, f.Limit = true, dashboardSteps+1
		newest, err := a.reader().Runs(ctx, a.Scope, f)
		if err != nil {
			return Dashboard{}, err
		}
		d.Unknown = len(newest) > dashboardSteps
		runs = append(runs, besides(runs, newest[:min(len(newest), dashboardSteps)])...)
	}
	hidden, err := a.counting(ctx, f, newestOfSteps(runs), at)
	if err != nil {
		return Dashboard{}, err
	}
	runs = append(runs, besides(runs, slices.Clone(hidden))...)
	rows, err := a.trends(ctx, runs, hidden, p)
	if err != nil {
		return Dashboard{}, err
	}
	d.keep(rows, p.Rows)
	return d, nil
}

// keep stores at most the given number of rows in the dashboard, and prefers red rows. It counts the rows that it
// drops, and the red rows among these. Then it sorts the stored rows by repository.
func (d *Dashboard) keep(rows []Trend, most int) {
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].red() && !rows[j].red() })
	d.Rows = rows
	if most > 0 && len(rows) > most {
		d.Rows = rows[:most]
		d.Left = len(rows) - most
		for _, t := range rows[most:] {
			if t.red() {
				d.Red++
			}
		}
	}
	sort.SliceStable(d.Rows, func(i, j int) bool { return d.Rows[i].Repo < d.Rows[j].Repo })
}

// red reports whether the worst run of a row counts and did not end well.
func (t Trend) red() bool {
	return t.LeftOut == "" && t.Worst.Status != store.StatusOK && t.Worst.Status != store.StatusRunning
}

// besides returns the runs of list that are not in excluded.
func besides(excluded, list []store.Run) []store.Run {
	among := map[string]bool{}
	for _, r := range excluded {
		among[r.Attempt] = true
	}
	return slices.DeleteFunc(list, func(r store.Run) bool { return among[r.Attempt] })
}

// trendKey holds the fields that are equal for all runs of a trend.
type trendKey struct{ repo, source, branch, step string }

// trends returns the rows for the given runs. hidden holds the runs that still count as failed although their steps
// passed later.
func (a *Asker) trends(ctx context.Context, runs, hidden []store.Run, p DashboardParams) ([]Trend, error) {
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
	if err := a.worst(ctx, append(heads, besides(heads, hidden)...), rows, p.Steps); err != nil {
		return nil, err
	}
	list := make([]Trend, 0, len(order))
	for _, k := range order {
		t := rows[k]
		slices.Reverse(t.Runs)
		list = append(list, *t)
	}
	return list, nil
}

func trendKeyOf(r store.Run, steps bool) trendKey {
	k := trendKey{r.Repo, r.Source, r.Git.Branch, ""}
	if steps {
		k.step = r.Step().Key()
	}
	return k
}

// worst sets the run that decides the state of each row.
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
		} else {
			t.Retired = append(t.Retired, others([]leftOut{o})...)
		}
	}
	return nil
}

func newPoint(r store.Run) Point {
	return Point{RunRef: r.Ref().String(), Status: r.Status(), Seconds: seconds(r.Duration()), Errors: r.Errors,
		Warnings: r.Warnings, Commit: r.Git.Commit, Started: stamp(r.StartedAt)}
}
