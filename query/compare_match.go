package query

import (
	"context"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// matcher decides which errors of a head run are in the base run, too. It follows the same rules as store.Compare.
type matcher struct {
	base *tally // errors of the base by identity
	// inHead and inBase hold the violations that are in both runs in the same file, by identity and file. They are nil if
	// the base has no violations.
	inHead, inBase *tally
	stayed         []uint64 // identities of these violations
}

// perError is the number of bytes of text that need as much memory as an error in a matcher. A text needs four times
// its size (see store.Hold), and a tally needs 16 bytes for an error.
const perError = 4

// withMatcher waits for a turn, and calls use with a matcher for two runs. Until use returns, the matcher counts as
// memory of the caller, because a matcher of a large run takes many MB, and a caller may compare such runs in many
// requests at once. TooLarge: the base has too many errors. Other errors: there is no memory.
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
		if p.Placed && both.take(placeOf(p)) {
			key := identity(p.Fingerprint, p.Category)
			// The error of the base is marked here, so that no violation in another file is matched
			// with it.
			m.base.take(key)
			m.stayed = append(m.stayed, key)
		}
	}
	m.inHead, m.inBase = both.taken(), both.taken()
	return m, nil
}

// placeOf returns a number for the identity and the file of an error.
func placeOf(p store.Print) uint64 { return mix(identity(p.Fingerprint, p.Category), word(p.File)) }

// has reports whether an error of the head is not new. It is not new if the base has it, or if it violates a rule of
// the architecture that is newer than the error.
// Each call counts one error, so has must be called once for each error of the head, in log order. A nil matcher has
// no errors.
func (m *matcher) has(p store.Print) bool {
	if m == nil {
		return false
	}
	return p.Placed && m.inHead.take(placeOf(p)) || m.base.take(identity(p.Fingerprint, p.Category)) ||
		p.Brief != 0 && m.base.take(identity(p.Brief, p.Category)) || p.Older
}

// gone returns a function that reports whether an error of the base is not in the head. The function may be called
// after has was called for all errors of the head. It must be called once for each error of the base, in log order.
func (m *matcher) gone() func(p store.Print) bool {
	for _, key := range m.stayed {
		m.base.give(key)
	}
	return func(p store.Print) bool {
		return !(p.Placed && m.inBase.take(placeOf(p))) && !m.base.give(identity(p.Fingerprint, p.Category))
	}
}
