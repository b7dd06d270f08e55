package ask

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/store"
)

// Known is what is known of an error that the baseline does not have.
type Known struct {
	OnBase string // run of the base branch that has it by now, "" for none
	Flaky  *Flaky // nil for one that is not known to be
}

// Apart tells errors that the baseline does not have apart, as Triage does:
// those that come from the change, and those that are known all the same, by
// fingerprint. Order is kept.
func (a *Asker) Apart(ctx context.Context, r store.Run, base store.Baseline, fresh []store.RunEvent) (rest, known []store.RunEvent, why map[string]Known, err error) {
	s := sorter{Asker: a, run: r, base: base, lines: map[int]bool{}}
	if err := s.look(ctx, fresh); err != nil {
		return nil, nil, nil, err
	}
	rest, known = s.split(fresh)
	why = map[string]Known{}
	for _, e := range known {
		if _, seen := why[e.Fingerprint]; !seen {
			why[e.Fingerprint] = Known{s.onBase[e.Fingerprint], s.window.flaky(e.Event)}
		}
	}
	return rest, known, why, nil
}

// Grouped puts look-alikes together, and the groups in the order in which they
// are worth reading: causes first. The first of each is the one to show.
func Grouped(events []store.RunEvent) [][]store.RunEvent {
	groups := grouped(events, func(store.Event) string { return "" })
	for i, g := range groups {
		sample := sampleOf(g)
		rest := slices.DeleteFunc(slices.Clone(g), func(e store.RunEvent) bool { return e.Ref() == sample.Ref() })
		groups[i] = append([]store.RunEvent{sample}, rest...)
	}
	return groups
}
