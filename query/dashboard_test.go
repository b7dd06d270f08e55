package query_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// On each branch, the state of a source is the state of its worst step.
func TestDashboard(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Tree: t.TempDir()}
	f.Asker = querytest.NewAsker(t, f.Tree)
	at := 0
	add := func(source, branch, command string, exit int, running bool) {
		at++
		f.Add(t, querytest.Run{Source: source, At: at, Exit: exit, Log: "x\n", Command: command, Running: running,
			Git: &store.Git{Branch: branch, Commit: fmt.Sprintf("c%d", at)}})
	}
	add("test", "main", "go test ./a", 1, false)
	add("test", "main", "go test ./b", 0, false)
	add("test", "topic", "go test ./a", 0, false)
	add("lint", "main", "golangci-lint run", 0, false)
	add("test", "main", "go test ./b", 0, false)
	add("test", "topic", "go test ./a", 0, true)
	rows := func(p query.DashboardParams) (list []string) {
		d, err := f.Dashboard(t.Context(), p)
		querytest.Check(t, err)
		for _, r := range d.Rows {
			text := fmt.Sprintf("%s on %s: %s %s, before", r.Source, r.Branch, r.Worst.RunRef, r.Worst.Status)
			for _, p := range r.Runs {
				text += " " + p.RunRef
			}
			list = append(list, text)
		}
		return list
	}
	want := []string{"test on main: test:1 FAIL, before test:1 test:2 test:5",
		"test on topic: test:6 RUNNING, before test:3",
		"lint on main: lint:4 OK, before lint:4"}
	if diff := cmp.Diff(want, rows(query.DashboardParams{Runs: 30})); diff != "" {
		t.Error(diff)
	}
	want = []string{"test on main: test:1 FAIL, before test:1", "test on main: test:5 OK, before test:2 test:5"}
	steps := query.DashboardParams{Source: "test", Branch: "main", Steps: true, Runs: 30}
	if diff := cmp.Diff(want, rows(steps)); diff != "" {
		t.Error(diff)
	}
	want = []string{"test on main: test:1 FAIL, before test:1", "test on main: test:5 OK, before test:5"}
	steps.Runs = 1
	if diff := cmp.Diff(want, rows(steps)); diff != "" {
		t.Errorf("one run each: %s", diff)
	}
}

// A step still counts if many runs of other steps have followed its newest run.
func TestADashboardHasTheNewestRunOfEachStep(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Tree: t.TempDir()}
	f.Asker = querytest.NewAsker(t, f.Tree)
	f.Add(t, querytest.Run{Source: "deploy", At: 1, Exit: 1, Log: "x\n"})
	to := f.Store.(store.Recorder)
	for i := range 1001 {
		r, err := to.StartRun(t.Context(), store.Run{
			Attempt: fmt.Sprintf("018d0c00-0000-7000-9000-%012d", i), Source: "build", Command: "make", Git: store.Git{Branch: "main"}})
		querytest.Check(t, err)
		zero := 0
		_, err = to.FinishRun(t.Context(), r.Attempt, store.Finish{Ending: store.Ending{ExitCode: &zero}})
		querytest.Check(t, err)
	}
	d, err := f.Dashboard(t.Context(), query.DashboardParams{Runs: 30})
	querytest.Check(t, err)
	if len(d.Rows) != 2 || d.Rows[0].Source != "deploy" || d.Rows[0].Worst.Status != store.StatusFail || !d.More ||
		d.Looked != 1000 {
		t.Errorf("%+v", d)
	}
	d, err = f.Dashboard(t.Context(), query.DashboardParams{Runs: 30, Rows: 1})
	querytest.Check(t, err)
	if len(d.Rows) != 1 || d.Rows[0].Source != "deploy" || d.Left != 1 || d.Red != 0 || d.Unknown {
		t.Errorf("one row: %+v", d)
	}
}

// If there are exactly as many runs as the dashboard reads, none is left out.
func TestADashboardSaysWhenRunsAreLeftOut(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Tree: t.TempDir()}
	f.Asker = querytest.NewAsker(t, f.Tree)
	to := f.Store.(store.Recorder)
	for i := range 1001 {
		if i == 1000 {
			d, err := f.Dashboard(t.Context(), query.DashboardParams{Runs: 30})
			querytest.Check(t, err)
			if d.More || d.Unknown || d.Looked != 1000 || len(d.Rows) != 1000 || d.Left != 0 {
				t.Errorf("of 1000 runs: more %v, unknown %v, looked at %d, %d rows", d.More, d.Unknown, d.Looked, len(d.Rows))
			}
		}
		_, err := to.StartRun(t.Context(), store.Run{Attempt: fmt.Sprintf("018d0c00-0000-7000-9000-%012d", i),
			Source: "build", Command: fmt.Sprintf("make part%d", i), Git: store.Git{Branch: fmt.Sprintf("b%d", i)}})
		querytest.Check(t, err)
	}
	d, err := f.Dashboard(t.Context(), query.DashboardParams{Runs: 30, Rows: 200})
	querytest.Check(t, err)
	if !d.More || !d.Unknown || d.Looked != 1000 || len(d.Rows) != 200 || d.Left != 800 || d.Red != 0 ||
		d.Rows[0].Branch != "b1000" {
		t.Errorf("of 1001 runs: more %v, unknown %v, looked at %d, %d rows, %d left, %d red", d.More, d.Unknown, d.Looked,
			len(d.Rows), d.Left, d.Red)
	}
}
