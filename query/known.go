package query

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/store"
)

// Sorted holds the errors of a run in the groups that Triage shows.
type Sorted struct {
	Baseline store.Baseline
	New      [][]store.RunEvent // groups of look-alikes, causes first; an answer shows the first error of each
	Known    [][]store.RunEvent // groups of known errors
	Why      map[string]Known   // reasons why errors outside of the baseline are known, by fingerprint
	Fixed    int                // number of the baseline's errors that are gone; flaky errors do not count

	// NewErrors and KnownErrors are the numbers of all new and known errors. They include errors that are not in the
	// groups.
	NewErrors, KnownErrors int
	Files                  map[string]int // errors of each file, nil if the groups hold all errors

	// Unexplained reports whether there is a baseline, and the run failed for another reason than the baseline.
	Unexplained bool
}

// Sorting holds the options of Sort.
type Sorting struct {
	Baseline string // a run, branch or commit, as in Compare
	InFull   int    // max errors of a run for reading all of them; 0 for the default
	// Files selects errors by their file, in a run that is not read in full; nil selects all errors.
	Files func(file string) bool
}

// Known is the reason why an error is known although the baseline does not have it.
type Known struct {
	OnBase string // run of the base branch that has the error now, or ""
	Flaky  *Flaky // evidence that the error is flaky, or nil
}

// Sort divides the errors of a run into new and known errors. An error is known if the baseline has it, if the base
// branch has it now, or if it is flaky. All other errors are new, also without a baseline.
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
	sorted.Unexplained = s.base.Found() && isUnexplained(r, s.base.Run, s.counts)
	for _, e := range s.excused {
		if _, seen := sorted.Why[e.Fingerprint]; !seen {
			sorted.Why[e.Fingerprint] = Known{s.onBase[e.Fingerprint], s.window.flaky(e.Event)}
		}
	}
	sorted.New, sorted.Known = s.shown(s.fresh), s.shown(append(s.excused, s.unchanged...))
	return sorted, nil
}

// shown groups errors. An answer shows the first error of each group.
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
