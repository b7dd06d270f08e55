package query

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/store"
)

// Sorted are the errors of a run as Triage tells them apart.
type Sorted struct {
	New   [][]store.RunEvent // groups of look-alikes, causes first; the first of each is the one to show
	Known [][]store.RunEvent // likewise
	Why   map[string]Known   // by fingerprint, of known ones that the baseline has not
	Fixed int                // errors of the baseline that are gone, but for flaky ones
}

// Known says why an error is known that the baseline does not have.
type Known struct {
	OnBase string // run of the base branch that has it by now, "" for none
	Flaky  *Flaky // nil for one that is not known to be
}

// Sort tells errors that come from the change apart from those that the
// baseline has as well, that the base branch has by now, or that are flaky.
// Without a baseline c.New holds all errors, and those that are not flaky
// count as new.
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

// shown groups errors, with the one to show first in each group.
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
