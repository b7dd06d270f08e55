package query

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/store"
)

// Sorted holds the errors of a run in the groups that Triage shows.
type Sorted struct {
	New   [][]store.RunEvent // groups of look-alikes, causes first; the first of each is shown
	Known [][]store.RunEvent // likewise
	Why   map[string]Known   // by fingerprint, of known errors that the baseline lacks
	Fixed int                // number of errors of the baseline that are gone, without flaky ones
}

// Known says why an error is known although the baseline lacks it.
type Known struct {
	OnBase string // run of the base branch that has it by now, or ""
	Flaky  *Flaky // evidence that it is flaky, or nil
}

// Sort separates the errors of the change from known errors. Known errors are those of the baseline, those that
// the base branch has by now, and flaky ones. Without a baseline c.New holds all errors, and all but the flaky
// ones count as new.
func (a *Asker) Sort(ctx context.Context, r store.Run, base store.Baseline, c store.Comparison) (Sorted, error) {
	s := sorter{Asker: a, run: r, base: base, lines: map[int]bool{}}
	if err := s.look(ctx, c.New, c.Fixed); err != nil {
		return Sorted{}, err
	}
	fresh, known := s.split(c.New)
	sorted := Sorted{Why: map[string]Known{}, Fixed: s.fixed(c.Fixed)}
	for _, e := range known {
		if _, seen := sorted.Why[e.Fingerprint]; !seen {
			sorted.Why[e.Fingerprint] = Known{s.onBase[e.Fingerprint], s.window.flaky(e.Event)}
		}
	}
	sorted.New, sorted.Known = s.shown(fresh), s.shown(append(known, c.Unchanged...))
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
