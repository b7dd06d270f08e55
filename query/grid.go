package query

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/blq-ci/blq/store"
)

// GridParams select tests and runs.
type GridParams struct {
	Repo   string
	Source string // "" for the source of the newest run with results
	Branch string
	Test   string // part of a test's name
	Tests  int    // max number of tests
	Runs   int    // max number of runs
}

// Grid is a table with the results of tests in the last runs of a source. It has a row for each test, up to
// GridParams.Tests rows.
type Grid struct {
	Source string
	Runs   []GridRun // oldest first
	Rows   []GridRow // tests with the most failures first
	Total  int       // tests with results in these runs
	More   bool      // there are earlier runs
}

// GridRun is a column of a grid: a run in which tests have results.
type GridRun struct {
	RunRef string
	Serial int
	Status store.Status
	Commit string
	Branch string
	Time   string
}

// GridRow holds the results of one test.
type GridRow struct {
	Test, File string
	Cells      []GridCell // one for each run with a result of the test, oldest first
	Failed     int        // runs whose last attempt of the test failed
	Skipped    int
	Retried    int // runs in which the test failed first, and then passed
	id         int64
}

// GridCell is the result of a test in a run.
type GridCell struct {
	Run     int // index in Grid.Runs
	Outcome store.TestOutcome
	Retried bool // the test failed first and passed in the end
}

// These constants limit the test results that are read for a whole grid, and the results that are read at a time. So a
// grid of a large test suite shows fewer runs.
const (
	gridResults = 400_000
	gridAtOnce  = 50_000
)

// Grid returns the results of tests in the last runs of a source.
func (a *Asker) Grid(ctx context.Context, p GridParams) (Grid, error) {
	if err := a.sweep(ctx); err != nil {
		return Grid{}, err
	}
	q := &testQuestion{Asker: a, p: TestsParams{Repo: p.Repo, Source: p.Source, Branch: p.Branch, Test: p.Test}}
	if p.Source != "" {
		if err := a.knownSource(ctx, p.Source); err != nil {
			return Grid{}, err
		}
	}
	if err := q.match(ctx); err != nil {
		return Grid{}, err
	}
	runs, err := q.last(ctx, maxTestRuns)
	if err != nil {
		return Grid{}, err
	}
	g := Grid{Source: p.Source}
	read, largest, err := q.gridRuns(ctx, runs, &g, p.Runs)
	if err != nil {
		return Grid{}, err
	}
	rows, err := q.gridRows(ctx, read, min(testBlocks, max(1, gridAtOnce/max(1, largest))))
	if err != nil {
		return Grid{}, err
	}
	g.Total = len(rows)
	g.Rows = rows[:min(len(rows), p.Tests)]
	return g, q.gridNames(ctx, g.Rows)
}

// match finds the tests whose name or file contains the text in the question. If the question has no such text, match
// does nothing.
func (q *testQuestion) match(ctx context.Context) error {
	if q.p.Test == "" {
		return nil
	}
	tests, err := q.Store.Tests(ctx, q.Scope, store.TestFilter{Repo: q.p.Repo, Like: q.p.Test})
	q.only = map[int64]bool{}
	for _, t := range tests {
		q.only[t.ID] = true
	}
	return err
}

// gridRuns returns the newest runs of one source that have test results, oldest first. It returns fewer runs if they
// have many results. It also returns the number of results of the largest run.
func (q *testQuestion) gridRuns(ctx context.Context, runs []store.Run, g *Grid, most int) (
	picked []store.Run, largest int, err error) {
	results := 0
	for len(runs) > 0 {
		n := min(len(runs), 10*testBlocks)
		sums, err := q.Store.TestBlocks(ctx, q.Scope, attempts(runs[:n]), false)
		if err != nil {
			return nil, 0, err
		}
		for _, r := range q.join(runs[:n], sums) {
			g.Source = cmp.Or(g.Source, r.Source)
			if r.Source != g.Source || len(picked) > 0 && r.Repo != picked[0].Repo {
				continue
			}
			if results += r.Tests + r.Retried; len(picked) == most || results > gridResults && len(picked) > 0 {
				g.More = true
				break
			}
			picked, largest = append(picked, r.Run), max(largest, r.Tests+r.Retried)
		}
		if runs = runs[n:]; g.More {
			break
		}
	}
	slices.Reverse(picked)
	for _, r := range picked {
		g.Runs = append(g.Runs, GridRun{RunRef: r.Ref().String(), Serial: r.Serial, Status: r.Status(), Commit: r.Git.Commit,
			Branch: Clean(r.Git.Branch), Time: stamp(r.StartedAt)})
	}
	return picked, largest, nil
}

// gridRows returns a row of results for each test. It reads the results of atOnce runs at a time.
func (q *testQuestion) gridRows(ctx context.Context, runs []store.Run, atOnce int) ([]GridRow, error) {
	rows := map[int64]*GridRow{}
	place := map[store.Ref]int{}
	for i, r := range runs {
		place[r.Ref()] = i
	}
	for part := range slices.Chunk(runs, atOnce) {
		blocks, err := q.Store.TestBlocks(ctx, q.Scope, attempts(part), true)
		if err != nil {
			return nil, err
		}
		joined := q.join(part, blocks)
		slices.Reverse(joined)
		for _, r := range joined {
			for _, t := range r.tests {
				row := rows[t.id]
				if row == nil {
					row = &GridRow{id: t.id}
					rows[t.id] = row
				}
				row.add(GridCell{Run: place[r.Ref()], Outcome: t.outcome,
					Retried: t.failed && t.outcome == store.TestPassed})
			}
		}
	}
	list := make([]GridRow, 0, len(rows))
	for _, r := range rows {
		list = append(list, *r)
	}
	sort.Slice(list, func(i, j int) bool {
		x, y := list[i], list[j]
		return cmp.Or(cmp.Compare(y.Failed, x.Failed), cmp.Compare(y.Retried, x.Retried), cmp.Compare(x.id, y.id)) < 0
	})
	return list, nil
}

func (r *GridRow) add(c GridCell) {
	r.Cells = append(r.Cells, c)
	switch {
	case c.Outcome.Failed():
		r.Failed++
	case c.Outcome == store.TestSkipped:
		r.Skipped++
	case c.Retried:
		r.Retried++
	}
}

// gridNames adds the names of the tests to a grid.
func (q *testQuestion) gridNames(ctx context.Context, rows []GridRow) error {
	at := map[int64]*GridRow{}
	ids := []int64{}
	for i := range rows {
		at[rows[i].id] = &rows[i]
		ids = append(ids, rows[i].id)
	}
	tests, err := q.Store.Tests(ctx, q.Scope, store.TestFilter{IDs: ids})
	for _, t := range tests {
		at[t.ID].Test, at[t.ID].File = Clean(t.Name), Clean(t.File)
	}
	return err
}
