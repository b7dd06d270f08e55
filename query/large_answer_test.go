package query_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// counted counts the statements that a store gets, and the rows that it returns.
type counted struct {
	store.Reader
	events, page int // number of all events, and of events in the largest answer
	statements   int
	totals       int // number of answers with a total
}

func (c *counted) Events(ctx context.Context, sc store.Scope, f store.EventFilter) (store.EventPage, error) {
	p, err := c.Reader.Events(ctx, sc, f)
	c.note(len(p.Events))
	c.events += len(p.Events)
	if !f.Uncounted && f.Limit > 0 {
		c.totals++
	}
	return p, err
}

func (c *counted) Prints(ctx context.Context, sc store.Scope, f store.PrintFilter) ([]store.Print, error) {
	list, err := c.Reader.Prints(ctx, sc, f)
	c.note(len(list))
	return list, err
}

func (c *counted) note(n int) {
	c.statements++
	c.page = max(c.page, n)
}

// large is a store with a run of 30,000 errors. Its baseline has 27,000 of these errors.
type large struct {
	*query.Asker
	counted *counted
	run     store.Run
}

func TestALargeRun(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			querytest.AddErrors(t, s, "base", 30_000, 30_000, 0)
			r := querytest.AddErrors(t, s, "head", 30_000, 27_000, 1)
			c := &counted{Reader: s}
			l := large{&query.Asker{Store: c, Blobs: noBlobs{}, Scope: store.Everything()}, c, r}
			t.Run("few rows are read at a time", l.readsLittle)
			t.Run("triage counts all errors", l.counts)
			t.Run("answers say what they leave out", l.says)
		})
	}
}

func (l large) readsLittle(t *testing.T) {
	c := l.counted
	for _, q := range questionsOf(l.run) {
		c.events, c.page, c.statements, c.totals = 0, 0, 0, 0
		querytest.Check(t, q.ask(t.Context(), l.Asker))
		if c.events > 25_000 || c.page > 25_000 || c.statements > 80 || c.totals > 1 {
			t.Errorf("%s read %d events, up to %d rows at once in %d statements, and counted %d times",
				q.name, c.events, c.page, c.statements, c.totals)
		}
	}
}

func (l large) counts(t *testing.T) {
	got, err := l.Triage(t.Context(), query.TriageParams{Ref: l.run.Ref().String()})
	querytest.Check(t, err)
	c := got.Counts
	if c.Errors != 30_000 || c.New == nil || *c.New != 3000 || *c.Known != 27_000 || *c.Fixed != 3000 {
		t.Errorf("counts %+v", c)
	}
	for name, list := range map[string][]query.ErrorGroup{"new": got.New, "known": got.Known} {
		shown, said := 0, leftOut(t, got, name)
		for _, g := range list {
			shown += g.Count
		}
		if want := map[string]int{"new": 3000, "known": 27_000}[name]; shown+said != want || shown == 0 {
			t.Errorf("%s: %d are shown, %d left out, want %d together: %v", name, shown, said, want, got.Truncated)
		}
	}
	if got.New[0].Count < 20 || len(got.New[0].Also) == 0 {
		t.Errorf("first group %+v", got.New[0])
	}
}

// leftOut returns the number of errors of a list that are missing according to the answer.
func leftOut(t *testing.T, got query.Triage, list string) int {
	t.Helper()
	for _, o := range got.Truncated {
		n, groups := 0, 0
		if !strings.Contains(o.What, " of "+list) {
			continue
		}
		if _, err := fmt.Sscanf(o.What, "%d groups of "+list+", %d errors", &groups, &n); err != nil {
			_, err = fmt.Sscanf(o.What, "%d errors of "+list, &n)
			querytest.Check(t, err)
		}
		return n
	}
	return 0
}

func (l large) says(t *testing.T) {
	ref := l.run.Ref().String()
	check, err := l.Check(t.Context(), query.CheckParams{Run: ref})
	querytest.Check(t, err)
	one := check.Runs[0]
	if want := `25000 errors: events(ref="test:2", limit=100, severity="error")`; len(one.Events) != 5000 ||
		len(one.Truncated) != 1 || one.Truncated[0].String() != want {
		t.Errorf("check lists %d errors and leaves out %v, want %s", len(one.Events), one.Truncated, want)
	}
	check, err = l.Check(t.Context(), query.CheckParams{Run: ref, FailOn: query.FailOnNewErrors})
	querytest.Check(t, err)
	if one = check.Runs[0]; *one.New != 3000 || len(one.Events) == 0 || one.Passed || len(one.Truncated) != 1 ||
		!strings.HasPrefix(one.Truncated[0].What, fmt.Sprint(3000-len(one.Events), " errors")) {
		t.Errorf("new: %d, listed %d, left out %v", *one.New, len(one.Events), one.Truncated)
	}
	d, err := l.Diff(t.Context(), query.DiffParams{Run2: ref})
	querytest.Check(t, err)
	if len(d.Unchanged) != 10_000 || d.Summary.Unchanged != 27_000 || !strings.Contains(d.Note, "first 10000 errors") {
		t.Errorf("%d of %d errors are listed, and the note says %q", len(d.Unchanged), d.Summary.Unchanged, d.Note)
	}
	list, err := l.Events(t.Context(), query.EventsParams{Ref: ref})
	if err != nil || len(list.Events) != 10_000 || list.Total != 30_000 {
		t.Errorf("%d of %d events: %v", len(list.Events), list.Total, err)
	}
	for _, format := range []markdown.Format{markdown.Brief, markdown.Detailed, markdown.PRComment} {
		report, err := markdown.Write(t.Context(), l.Asker, cmdline.Words, markdown.Params{Ref: ref, Format: format})
		if err != nil || !strings.Contains(report.Markdown, "30000 errors") ||
			!strings.Contains(report.Markdown, " more new errors: ") {
			t.Errorf("%v:\n%s", err, report.Markdown)
		}
	}
}

func TestALargeRunIsComparedAsASmallOne(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			a := &query.Asker{Store: s, Blobs: noBlobs{}, Scope: store.Everything()}
			base := querytest.AddErrors(t, s, "base", 5200, 5200, 0)
			head := querytest.AddErrors(t, s, "head", 5500, 3000, 1)
			want, err := store.Compare(errorsOf(t, s, base), errorsOf(t, s, head), 0)
			querytest.Check(t, err)
			_, got, err := a.Compare(t.Context(), head, "", 0)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v, by text and by print:\n%s", err, diff)
			}
		})
	}
}

// errorsOf returns the events of a run. All events in these tests are errors.
func errorsOf(t *testing.T, s store.Store, r store.Run) iter.Seq2[store.RunEvent, error] {
	t.Helper()
	page, err := s.Events(t.Context(), store.Everything(),
		store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}}})
	querytest.Check(t, err)
	return func(yield func(store.RunEvent, error) bool) {
		for _, e := range page.Events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func TestErrorsOfALargeRunFallIntoTheSameGroups(t *testing.T) {
	t.Parallel()
	s := engines["sqlite"](t)
	a := &query.Asker{Store: s, Blobs: noBlobs{}, Scope: store.Everything()}
	querytest.AddErrors(t, s, "base", 4000, 4000, 0)
	head := querytest.AddErrors(t, s, "head", 4500, 2000, 1)
	want, err := a.Sort(t.Context(), head, query.Sorting{InFull: 4500})
	querytest.Check(t, err)
	got, err := a.Sort(t.Context(), head, query.Sorting{InFull: 4000})
	querytest.Check(t, err)
	for _, n := range [][2]int{{want.NewErrors, got.NewErrors}, {want.KnownErrors, got.KnownErrors},
		{want.Fixed, got.Fixed}, {len(want.New), len(got.New)}, {len(want.Known), len(got.Known)}} {
		if n[0] != n[1] || n[0] == 0 {
			t.Errorf("in full %d, by kind %d", n[0], n[1])
		}
	}
	for i, g := range want.New {
		if k := got.New[i]; store.Sum(k) != len(g) || k[0].ID != g[0].ID || len(k) == len(g) && len(g) > 7 {
			t.Errorf("group %d has %d errors from %d on, by kind %d from %d on", i, len(g), g[0].ID, store.Sum(k), k[0].ID)
		}
	}
	files := map[string]int{}
	for e := range errorsOf(t, s, head) {
		files[e.File]++
	}
	if diff := cmp.Diff(files, got.Files); diff != "" {
		t.Errorf("files:\n%s", diff)
	}
}

func TestWhatIsFlakyIsNotNewInALargeRun(t *testing.T) {
	t.Parallel()
	s := engines["sqlite"](t)
	a := &query.Asker{Store: s, Blobs: noBlobs{}, Scope: store.Everything()}
	for i, n := range []int{9, 0, 9, 0} { // the tests 8 and 9 come and go
		querytest.AddErrors(t, s, fmt.Sprint("before", i), n, n, 0)
	}
	head := querytest.AddErrors(t, s, "head", 6000, 6000, 0)
	got, err := a.Triage(t.Context(), query.TriageParams{Ref: head.Ref().String()})
	querytest.Check(t, err)
	if *got.Counts.New != 5998 || *got.Counts.Known != 2 || len(got.Known) == 0 || got.Known[0].Flaky == nil {
		t.Errorf("counts: %d new, %d known; %+v", *got.Counts.New, *got.Counts.Known, got.Known)
	}
}

func TestWhatIsFlakyIsNotFixedInALargeRun(t *testing.T) {
	t.Parallel()
	s := engines["sqlite"](t)
	a := &query.Asker{Store: s, Blobs: noBlobs{}, Scope: store.Everything()}
	for i, n := range []int{9, 0, 9, 0} { // the tests 8 and 9 come and go
		querytest.AddErrors(t, s, fmt.Sprint("before", i), n, n, 0)
	}
	querytest.AddErrors(t, s, "base", 20, 20, 0)
	head := querytest.AddErrors(t, s, "head", 5100, 7, 1) // without 13 errors of the base
	got, err := a.Triage(t.Context(), query.TriageParams{Ref: head.Ref().String()})
	querytest.Check(t, err)
	if *got.Counts.New != 5093 || *got.Counts.Known != 7 || *got.Counts.Fixed != 11 {
		t.Errorf("%d new, %d known, %d fixed", *got.Counts.New, *got.Counts.Known, *got.Counts.Fixed)
	}
}

// inflated reports a hundred times as many errors for each run.
type inflated struct{ store.Reader }

func (i inflated) Run(ctx context.Context, sc store.Scope, ref store.Ref) (store.Run, error) {
	r, err := i.Reader.Run(ctx, sc, ref)
	r.Errors *= 100
	return r, err
}

func (i inflated) Runs(ctx context.Context, sc store.Scope, f store.RunFilter) ([]store.Run, error) {
	runs, err := i.Reader.Runs(ctx, sc, f)
	for j := range runs {
		runs[j].Errors *= 100
	}
	return runs, err
}

func TestARunWithMoreErrorsThanAreComparedHasNoBaseline(t *testing.T) {
	t.Parallel()
	s := engines["sqlite"](t)
	querytest.AddErrors(t, s, "base", 21_000, 21_000, 0)
	r := querytest.AddErrors(t, s, "head", 100, 100, 0)
	a := &query.Asker{Store: inflated{s}, Blobs: noBlobs{}, Scope: store.Everything()}
	got, err := a.Triage(t.Context(), query.TriageParams{Ref: r.Ref().String()})
	if err != nil || got.Counts.New != nil || len(got.Errors) == 0 ||
		!strings.Contains(got.Baseline.Reason, "2100000 errors") {
		t.Errorf("%v: counts %+v, baseline %+v", err, got.Counts, got.Baseline)
	}
	if _, err := a.Diff(t.Context(), query.DiffParams{Run2: r.Ref().String()}); store.CodeOf(err) != store.TooLarge {
		t.Errorf("diff: %v", err)
	}
}
