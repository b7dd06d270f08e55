package query

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/store"
)

// Sorted holds the errors of a run in the groups that Triage shows.
type Sorted struct {
	Baseline store.Baseline
	New      [][]store.RunEvent // groups of look-alikes, causes first; the first of each is shown
	Known    [][]store.RunEvent // likewise
	Why      map[string]Known   // by fingerprint, of known errors that the baseline lacks
	Fixed    int                // number of errors of the baseline that are gone, without flaky ones

	// NewErrors and KnownErrors count all errors, also those that the groups do not hold.
	NewErrors, KnownErrors int
	Files                  map[string]int // errors of each file, nil if the groups hold all errors
}

// Sorting says what Sort compares a run with, and what it reads.
type Sorting struct {
	Baseline string // as for Compare
	InFull   int    // of a run with more errors some of each kind are read; 0 for thousands
	// Files selects the errors of a run that is not read in full by their files; nil for all.
	Files func(file string) bool
}

// Known says why an error is known although the baseline lacks it.
type Known struct {
	OnBase string // run of the base branch that has it by now, or ""
	Flaky  *Flaky // evidence that it is flaky, or nil
}

// Sort separates the errors of the change from known errors. Known errors are errors of the baseline, errors that the
// base branch has by now, and flaky errors. Without a baseline all but the flaky ones count as new.
func (a *Asker) Sort(ctx context.Context, r store.Run, p Sorting) (Sorted, error) {
	base, err := a.baseline(ctx, r, p.Baseline)
	if err != nil {
		return Sorted{}, err
	}
	s, err := a.sift(ctx, r, base, p)
	if err != nil {
		return Sorted{}, err
	}
	sorted := Sorted{Baseline: s.base, Why: map[string]Known{}, Fixed: s.counts.Fixed, NewErrors: s.counts.New,
		KnownErrors: s.others(), Files: s.files}
	for _, e := range s.excused {
		if _, seen := sorted.Why[e.Fingerprint]; !seen {
			sorted.Why[e.Fingerprint] = Known{s.onBase[e.Fingerprint], s.window.flaky(e.Event)}
		}
	}
	sorted.New, sorted.Known = s.shown(s.fresh), s.shown(append(s.excused, s.unchanged...))
	return sorted, nil
}

// shown groups errors. The first of each group is shown.
func (s *sorter) shown(events []store.RunEvent) [][]store.RunEvent {
	groups := grouped(events, s.known)
	for _, g := range groups {
		sample := sampleOf(g)
		i := slices.IndexFunc(g, func(e store.RunEvent) bool { return e.ID == sample.ID })
		copy(g[1:], g[:i])
		g[0] = sample
	}
	return groups
}
