package query_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// swollen reports thousands of errors for each run with errors, so that these runs are read like large runs.
type swollen struct{ store.Reader }

func (s swollen) Run(ctx context.Context, sc store.Scope, ref store.Ref) (store.Run, error) {
	r, err := s.Reader.Run(ctx, sc, ref)
	return swell(r), err
}

func (s swollen) Runs(ctx context.Context, sc store.Scope, f store.RunFilter) ([]store.Run, error) {
	runs, err := s.Reader.Runs(ctx, sc, f)
	for i := range runs {
		runs[i] = swell(runs[i])
	}
	return runs, err
}

func swell(r store.Run) store.Run {
	if r.Errors > 0 {
		r.Errors += 5001
	}
	return r
}

// These are the ways in which versions of blq stored errors.
const (
	asToday      = iota
	withoutLabel // without the second line of rustc's messages
	firstPrints  // with fingerprints of the first version
)

// errorsOfTools returns errors of several tools. Some errors look alike, and some are equal.
func errorsOfTools(random *rand.Rand, n, version int) []store.Event {
	var list []store.Event
	for i := range n + 1 {
		e := querytest.Event(store.SeverityError, fmt.Sprintf("src/f%d.c", random.IntN(13)), i+1, 1,
			fmt.Sprintf("undeclared: s%c", 'a'+random.IntN(9)), i+2, i+2)
		e.Line = 7 // the lines of equal errors matter only in small runs
		switch tool := random.IntN(5); {
		case i == 0: // an error of the compiler, because a failed test could look flaky
		case tool == 0:
			e.Tool, e.Category, e.Code, e.Message = "eslint", store.CategoryLint, "no-undef", "it is not defined"
		case tool == 1:
			e.Tool, e.Category, e.File = "tool", "", ""
		case tool == 2:
			e.Tool, e.Category, e.Test = "pytest", store.CategoryTest, fmt.Sprintf("test_%d", random.IntN(5))
			e.Message = "assert 1 == 2"
		case tool == 3:
			e.Tool, e.Message = "rustc", fmt.Sprintf("mismatched types %c", 'a'+random.IntN(4))
			if version == asToday {
				e.Message += "\nexpected u8"
			}
		}
		e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
		if version == firstPrints {
			e.Fingerprint = store.EarlierFingerprints(e)[0]
		}
		list = append(list, e)
	}
	return list
}

func TestALargeRunIsUnderstoodAsASmallOne(t *testing.T) {
	t.Parallel()
	for seed := range uint64(9) {
		random := rand.New(rand.NewPCG(seed, 1))
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		for at := range 4 {
			version := asToday
			if at < 3 {
				version = int(seed % 3)
			}
			f.Add(t, querytest.Run{Source: "test", At: at, Exit: 1, Log: querytest.Lines("x", 100),
				Events: errorsOfTools(random, random.IntN(40), version),
				Git:    &store.Git{Branch: "main", Commit: fmt.Sprintf("c%06d", at)}})
		}
		large := *f.Asker
		large.Store = swollen{f.Store}
		sameSummary(t, seed, f.Asker, &large)
		sameChanges(t, seed, "test", f.Asker, &large)
	}
}

// violations returns violations of the architecture. Some are equal except for their files, and some are older than
// their rule.
func violations(random *rand.Rand, n int) []store.Event {
	var list []store.Event
	for i := range n + 1 {
		e := querytest.Event(store.SeverityError, fmt.Sprintf("src/f%d.go", random.IntN(5)), i+1, 1,
			fmt.Sprintf("a uses b%c", 'a'+random.IntN(4)), i+2, i+2)
		e.Tool, e.Category, e.Code = "arch-lint", store.CategoryLint, "no-b"
		if random.IntN(4) == 0 {
			e.Message += store.OlderThanRule
		}
		e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
		list = append(list, e)
	}
	return list
}

func TestManyViolationsAreComparedLikeFew(t *testing.T) {
	t.Parallel()
	for seed := range uint64(9) {
		random := rand.New(rand.NewPCG(seed, 2))
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		for at := range 4 {
			f.Add(t, querytest.Run{Source: "arch-lint", At: at, Exit: 1, Log: querytest.Lines("x", 100),
				Events: violations(random, random.IntN(40)),
				Git:    &store.Git{Branch: "main", Commit: fmt.Sprintf("c%06d", at)}})
		}
		large := *f.Asker
		large.Store = swollen{f.Store}
		sameChanges(t, seed, "arch-lint", f.Asker, &large)
	}
}

// Among kinds with the same count, a summary names those that come first in the log, in every process.
func TestASummaryOfALargeRunIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	var events []store.Event
	for i := range 60 {
		events = append(events, querytest.Event(store.SeverityError, "a.c", i+1, 1,
			fmt.Sprintf("undeclared: s%c%c", 'a'+i/26, 'a'+i%26), i+1, i+1))
	}
	f.Add(t, querytest.Run{Source: "test", Exit: 1, Log: querytest.Lines("x", 100), Events: events})
	large := *f.Asker
	large.Store = swollen{f.Store}
	got, err := large.Brief(t.Context(), query.InfoParams{Ref: "test", Limit: 3})
	querytest.Check(t, err)
	for i, c := range got.Summary.ByFingerprint {
		if want := fmt.Sprintf("undeclared: s%c%c", 'a'+i/26, 'a'+i%26); c.Example != want {
			t.Errorf("kind %d is %q, want %q", i+1, c.Example, want)
		}
	}
}

func sameSummary(t *testing.T, seed uint64, small, large *query.Asker) {
	t.Helper()
	p := query.InfoParams{Ref: "test", Limit: 3}
	want, err := small.Brief(t.Context(), p)
	querytest.Check(t, err)
	got, err := large.Brief(t.Context(), p)
	querytest.Check(t, err)
	got.Errors = want.Errors
	// Entries with the same count may have another order.
	counts := func(list []query.FingerprintCount) (n []int) {
		for _, c := range list {
			n = append(n, c.Count)
		}
		return n
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(query.Summary{}, "ByFingerprint")); diff != "" {
		t.Errorf("seed %d: summaries of the small and the large run:\n%s", seed, diff)
	}
	for i, c := range got.Summary.ByFingerprint {
		if c.Fingerprint == "" || c.Example == "" || i > 0 && c == got.Summary.ByFingerprint[i-1] {
			t.Errorf("seed %d: %+v", seed, c)
		}
	}
	if diff := cmp.Diff(counts(want.Summary.ByFingerprint), counts(got.Summary.ByFingerprint)); diff != "" {
		t.Errorf("seed %d: counts of the small and the large run:\n%s", seed, diff)
	}
}

func sameChanges(t *testing.T, seed uint64, source string, small, large *query.Asker) {
	t.Helper()
	head, err := small.RunAt(t.Context(), query.At{}, source)
	querytest.Check(t, err)
	for _, baseline := range []string{"", source + ":1", source + ":3"} {
		_, want, err := small.Compare(t.Context(), head, baseline, 0)
		querytest.Check(t, err)
		_, got, err := large.Compare(t.Context(), swell(head), baseline, 0)
		querytest.Check(t, err)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("seed %d since %q: changes of the small and the large run:\n%s", seed, baseline, diff)
		}
		full, err := small.Sort(t.Context(), head, query.Sorting{Baseline: baseline})
		querytest.Check(t, err)
		kinds, err := large.Sort(t.Context(), swell(head), query.Sorting{Baseline: baseline})
		querytest.Check(t, err)
		if diff := cmp.Diff(sorted(full), sorted(kinds)); diff != "" {
			t.Errorf("seed %d since %q: groups of the small and the large run:\n%s", seed, baseline, diff)
		}
		files := map[string]int{}
		for _, e := range append(got.New, got.Unchanged...) {
			files[e.File]++
		}
		if diff := cmp.Diff(files, kinds.Files); diff != "" {
			t.Errorf("seed %d since %q: files:\n%s", seed, baseline, diff)
		}
	}
}

// sorted describes groups of errors: the number of errors, the IDs of those that are read, and why they are known.
func sorted(s query.Sorted) []string {
	words := []string{fmt.Sprintf("%d new, %d known, %d fixed", s.NewErrors, s.KnownErrors, s.Fixed)}
	for name, list := range map[string][][]store.RunEvent{"new": s.New, "known": s.Known} {
		for i, g := range list {
			why := s.Why[g[0].Fingerprint]
			ids := []int{g[0].ID}
			if store.Sum(g) <= 7 { // all of them are read
				for _, e := range g[1:] {
					ids = append(ids, e.ID)
				}
			}
			words = append(words, fmt.Sprintf("%s %d: %d, numbers %v, flaky %v, base %s", name, i, store.Sum(g), ids,
				why.Flaky != nil, why.OnBase))
		}
	}
	slices.Sort(words)
	return words
}
