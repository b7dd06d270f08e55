package query

import (
	"context"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// matcher decides which errors of the later run, called head, are also in the earlier run, called base. It follows the
// rules of store.Compare, but the places of equal errors do not matter: the first of them in the log are the old ones.
type matcher struct {
	base *tally // errors of the base by identity
	// inHead and inBase count the violations of architecture rules that both runs have in the same file, by violation
	// and file. The methods has and gone read them. Both are nil if the base has no violations.
	inHead, inBase *tally
	stayed         []uint64 // identities of the violations that both runs have in the same file
}

// perError is the number of bytes of text that withMatcher passes to store.HoldText for each error. A server reserves
// memory of four times the size of a text. So each error gets 16 bytes, its size in a tally.
const perError = 4

// withMatcher waits for a turn, and calls use with a matcher for two runs. A matcher of a large run takes many MB. So
// its memory is counted as memory of the caller until use returns. TooLarge: the base has too many errors. Other
// errors: the caller uses too much memory, or a run cannot be read.
func (a *Asker) withMatcher(ctx context.Context, base, head store.Run, use func(*matcher) error) error {
	if err := checkSize(base); err != nil {
		return err
	}
	leave, err := enter(ctx, a.Comparisons)
	if err != nil {
		return err
	}
	defer leave()
	passing, done := store.Passing(ctx)
	defer done()
	if err := store.HoldText(passing, perError*int64(base.Errors)); err != nil {
		return err
	}
	m, err := a.matcher(ctx, base, head)
	if err != nil {
		return err
	}
	return use(m)
}

// matcher returns a matcher for two runs. It reads the base, and if the base has violations of the architecture, also
// the head.
func (a *Asker) matcher(ctx context.Context, base, head store.Run) (*matcher, error) {
	d, keys := bare, make([]uint64, 0, base.Errors)
	if base.Source == graph.LintRun {
		d = whole // violations are compared by file, and other runs have none
	}
	var places []uint64
	for p, err := range a.prints(ctx, base, d) {
		if err != nil {
			return nil, err
		}
		if keys = append(keys, identity(p.Fingerprint, p.Category)); p.Placed {
			places = append(places, placeOf(p))
		}
	}
	m := &matcher{base: newTally(keys)}
	if len(places) == 0 {
		return m, nil
	}
	both := newTally(places)
	for p, err := range a.prints(ctx, head, whole) {
		if err != nil {
			return nil, err
		}
		if p.Placed && both.mark(placeOf(p)) {
			key := identity(p.Fingerprint, p.Category)
			// Mark the error, so that it is not matched with a violation in another file.
			m.base.mark(key)
			m.stayed = append(m.stayed, key)
		}
	}
	m.inHead, m.inBase = both.marked(), both.marked()
	return m, nil
}

// placeOf returns a key for an error and its file. Equal errors in different files have different keys.
func placeOf(p store.Print) uint64 { return mix(identity(p.Fingerprint, p.Category), word(p.File)) }

// has reports whether an error of the head is old. An error is old if the base has it, too. A violation of the
// architecture is also old if it was there before its rule. Each call of has marks an equal error of the base, and no
// later call matches a marked error. So has must be called once for each error of the head, in log order. A nil matcher
// returns false.
func (m *matcher) has(p store.Print) bool {
	if m == nil {
		return false
	}
	return p.Placed && m.inHead.mark(placeOf(p)) || m.base.mark(identity(p.Fingerprint, p.Category)) ||
		p.Brief != 0 && m.base.mark(identity(p.Brief, p.Category)) || p.Older
}

// gone returns a function that reports whether an error of the base is not in the head. Before gone is called, has must
// be called for all errors of the head. The returned function must be called once for each error of the base,
// in log order.
func (m *matcher) gone() func(p store.Print) bool {
	for _, key := range m.stayed {
		m.base.unmark(key)
	}
	return func(p store.Print) bool {
		return !(p.Placed && m.inBase.mark(placeOf(p))) && !m.base.unmark(identity(p.Fingerprint, p.Category))
	}
}
