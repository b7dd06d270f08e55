package query

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/blq-ci/blq/store"
)

// errorsInFull is the max number of errors for which a comparison reads all errors of a run with their text. In a run
// with more errors, the comparison counts the errors by kind, and reads only some errors of each kind.
const errorsInFull = 5000

// maxFiles is the max number of files for which errors are counted by file, in a run that is not read in full.
const maxFiles = 20_000

// maxKinds limits the errors of a run that is not read in full. It is the max number of kinds of errors that are not in
// the baseline, and also the max number of kinds of errors in the baseline.
const maxKinds = 2000

// sifted holds a run's errors, divided into new and known errors. In a large run, the lists hold only some errors of
// each kind (see store.RunEvent.More). The counts include all errors.
type sifted struct {
	*sorter
	fresh     []store.RunEvent // new errors: not in the baseline, not flaky, not on the base branch
	excused   []store.RunEvent // not in the baseline, but flaky or on the base branch
	unchanged []store.RunEvent // in the baseline
	files     map[string]int   // number of errors by file, nil if all errors were read
	counts    store.Changes    // New is the number of fresh errors; Fixed leaves out flaky errors
}

// others returns the number of known errors.
func (s *sifted) others() int { return store.Sum(s.excused) + s.counts.Unchanged }

// sift compares a run with its baseline, and divides the run's errors into new and known errors.
func (a *Asker) sift(ctx context.Context, head store.Run, base store.Baseline, p Sorting) (*sifted, error) {
	p.InFull = cmp.Or(p.InFull, errorsInFull)
	s := &sifted{sorter: &sorter{Asker: a, run: head, base: base, lines: map[int]bool{}}}
	if head.Errors > p.InFull || base.Run.Errors > p.InFull || isLarge(head) || isLarge(base.Run) {
		return s, s.byKind(ctx, p)
	}
	var c store.Comparison
	var err error
	if base.Found() {
		c, err = a.compare(ctx, base.Run, head, 0)
	} else if c.New, err = a.errors(ctx, head); err == nil {
		c.Counts.New = len(c.New)
	}
	if err != nil {
		return nil, err
	}
	if err := s.look(ctx, c.New, c.Fixed); err != nil {
		return nil, err
	}
	s.fresh, s.excused = s.split(c.New)
	s.unchanged, s.counts = c.Unchanged, c.Counts
	s.counts.New, s.counts.Fixed = len(s.fresh), s.fixed(c.Fixed)
	return s, nil
}

// byKind sifts the errors of large runs. It compares the prints of the errors, counts the errors by kind, and reads
// only the first errors of each kind.
func (s *sifted) byKind(ctx context.Context, params Sorting) error {
	s.bySample, s.files = true, map[string]int{}
	if !s.base.Found() {
		return s.byKindWith(ctx, nil, params)
	}
	err := checkSize(s.run)
	begun := false
	if err == nil {
		err = s.withMatcher(ctx, s.base.Run, s.run, func(base *matcher) error {
			begun = true
			return s.byKindWith(ctx, base, params)
		})
	}
	if begun || store.CodeOf(err) != store.TooLarge {
		return err
	}
	s.base = store.Baseline{Kind: store.BaselineNone, Reason: err.Error()} // without a comparison, no error is new
	return s.byKindWith(ctx, nil, params)
}

// byKindWith does the same as byKind, with a matcher for the baseline. base is nil if there is no baseline.
func (s *sifted) byKindWith(ctx context.Context, base *matcher, params Sorting) (err error) {
	if s.window, err = s.Asker.window(ctx, s.run, flakyRuns, nil); err != nil {
		return err
	}
	apart := s.window.identities()
	fresh, old := newKinds(min(maxKinds, params.InFull)), newKinds(min(maxKinds, params.InFull))
	d := whole
	if base != nil {
		d = briefs
	}
	for p, err := range s.prints(ctx, s.run, d) {
		if err != nil {
			return err
		}
		key := identity(p.Fingerprint, p.Category)
		list := fresh
		if base.has(p) {
			list = old
		}
		if params.Files != nil && !params.Files(p.File) {
			continue
		}
		list.add(p, key, apart[key])
		if _, seen := s.files[p.File]; seen || len(s.files) < maxFiles {
			s.files[p.File]++
		}
	}
	if err := s.read(ctx, fresh, old, params.InFull); err != nil {
		return err
	}
	s.counts.Unchanged = old.total
	s.counts.New = fresh.total - store.Sum(s.excused)
	if base != nil {
		s.counts.Fixed = base.base.all - base.base.matched() - s.window.flakyLeft(base.base)
	}
	return nil
}

// read reads the first errors of each kind.
func (s *sifted) read(ctx context.Context, fresh, old *kinds, inFull int) error {
	each := min(samples, max(1, inFull/max(1, len(fresh.list)+len(old.list))))
	var ids []int
	for _, list := range [][]kind{fresh.list, old.list} {
		for i := range list {
			list[i].ids = list[i].ids[:min(each, len(list[i].ids))]
			ids = append(ids, list[i].ids...)
		}
	}
	slices.Sort(ids)
	events, err := s.numbered(ctx, s.run, ids)
	if err != nil {
		return err
	}
	at := make(map[int]store.RunEvent, len(events))
	for _, e := range events {
		at[e.ID] = e
	}
	var first []store.RunEvent
	for _, k := range fresh.list {
		first = append(first, k.of(at)...)
	}
	if err := s.look(ctx, inLogOrder(first)); err != nil {
		return err
	}
	for _, k := range fresh.list {
		rest, known := s.split(k.of(at))
		k.setMore(rest, known)
		s.fresh, s.excused = append(s.fresh, rest...), append(s.excused, known...)
	}
	for _, k := range old.list {
		list := k.of(at)
		k.setMore(list, nil)
		s.unchanged = append(s.unchanged, list...)
	}
	inLogOrder(s.fresh)
	inLogOrder(s.excused)
	inLogOrder(s.unchanged)
	return nil
}

func inLogOrder(list []store.RunEvent) []store.RunEvent {
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list
}

// of returns those errors of a kind that were read. The parameter at holds all errors that were read, by ID.
func (k kind) of(at map[int]store.RunEvent) []store.RunEvent {
	var list []store.RunEvent
	for _, id := range k.ids {
		if e, ok := at[id]; ok {
			list = append(list, e)
		}
	}
	return list
}

// setMore counts the errors of the kind that were not read. It stores this number in the field More of the first error
// in rest. If rest is empty, it stores the number in the first known error, but only if the first and the last known
// error have the same fingerprint.
func (k kind) setMore(rest, known []store.RunEvent) {
	more := k.count - len(rest) - len(known)
	switch {
	case len(rest) > 0:
		rest[0].More = more
	case len(known) > 0 && known[0].Fingerprint == known[len(known)-1].Fingerprint:
		known[0].More = more
	}
}

// identities returns the set of the identities of all failures in the window (see identity).
func (w window) identities() map[uint64]bool {
	all := map[uint64]bool{}
	for _, r := range w.runs {
		for _, e := range r.failed {
			all[identityOf(e.Event)] = true
		}
	}
	return all
}

// flakyLeft returns the number of flaky errors that tally.left counts: errors of one run that the other run of the
// comparison does not have.
func (w window) flakyLeft(t *tally) int {
	n := 0
	counted := map[uint64]bool{}
	for _, r := range w.runs {
		for _, e := range r.failed {
			key := identityOf(e.Event)
			if !counted[key] && t.left(key) > 0 && w.flaky(e.Event) != nil {
				n += t.left(key)
			}
			counted[key] = true
		}
	}
	return n
}

func identityOf(e store.Event) uint64 {
	n, _ := store.FingerprintHash(e.Fingerprint)
	return identity(n, e.Category)
}
