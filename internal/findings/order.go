package findings

import (
	"context"
	"sort"

	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/store"
)

// oldFirst sorts findings with the same fingerprint. Findings in unchanged files come first, then findings in changed
// files, then findings in added files. The order matters because a comparison treats the first of equal findings as
// old. Other findings keep their order.
func oldFirst(list []record.Finding, rank func(file string) int) {
	if rank == nil {
		return
	}
	same := map[string][]int{}
	for i, f := range list {
		print := store.Fingerprint(f.Event)
		same[print] = append(same[print], i)
	}
	for i, f := range list {
		places := same[store.Fingerprint(f.Event)]
		if len(places) < 2 || places[0] != i {
			continue
		}
		equal := make([]record.Finding, len(places))
		for k, at := range places {
			equal[k] = list[at]
		}
		sort.SliceStable(equal, func(i, j int) bool { return rank(equal[i].File) < rank(equal[j].File) })
		for k, at := range places {
			list[at] = equal[k]
		}
	}
}

// unchanged is the rank of a file without changes.
const unchanged = 0

// ranks returns a function that returns the rank of a file: unchanged for a file without changes, 1 for a changed file,
// and 2 for an added file. It returns nil if the ranks are unknown.
func (s *state) ranks(ctx context.Context) func(file string) int {
	if s.Base == "" {
		return nil
	}
	before, err := ci.FilesAt(ctx, s.Source.Root, s.Base)
	if err != nil {
		return nil
	}
	changed, err := ci.Differing(ctx, s.Source.Root, s.Base, s.At)
	if err != nil {
		return nil
	}
	return func(file string) int {
		had := before[file]
		differs := changed[file]
		switch {
		case !had:
			return 2
		case differs:
			return 1
		}
		return unchanged
	}
}
