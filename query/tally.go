package query

import "slices"

// tally counts the errors of a run by identity. It needs 16 bytes for each identity.
type tally struct {
	keys []uint64 // identities, sorted
	n    []int32  // number of errors with each key, by index in keys
	used []int32  // number of marked errors with each key; the other run has them, too
	all  int
}

// newTally returns a tally of errors. The slice keys has the key of each error. newTally sorts the slice, removes
// repeated keys from it, and uses the slice as a part of the tally.
func newTally(keys []uint64) *tally {
	slices.Sort(keys)
	t := &tally{all: len(keys), n: make([]int32, 0, len(keys))}
	kept := keys[:0]
	for i, key := range keys {
		if i == 0 || key != kept[len(kept)-1] {
			kept, t.n = append(kept, key), append(t.n, 0)
		}
		t.n[len(t.n)-1]++
	}
	t.keys, t.used = kept, make([]int32, len(kept))
	return t
}

// mark marks one error with a key. A marked error is also in the other run. mark returns false if the tally has no
// unmarked error with the key, or if the tally is nil.
func (t *tally) mark(key uint64) bool {
	i, found := t.find(key)
	if !found || t.used[i] == t.n[i] {
		return false
	}
	t.used[i]++
	return true
}

// unmark removes the mark of one error with a key. It returns false if no error with the key is marked.
func (t *tally) unmark(key uint64) bool {
	i, found := t.find(key)
	if !found || t.used[i] == 0 {
		return false
	}
	t.used[i]--
	return true
}

// marked returns a tally of the marked errors, without marks.
func (t *tally) marked() *tally {
	return &tally{keys: t.keys, n: slices.Clone(t.used), used: make([]int32, len(t.keys)), all: t.matched()}
}

// left returns the number of unmarked errors with a key. The other run does not have these errors.
func (t *tally) left(key uint64) int {
	i, found := t.find(key)
	if !found {
		return 0
	}
	return int(t.n[i] - t.used[i])
}

// matched returns the number of errors that the other run has, too.
func (t *tally) matched() int {
	n := 0
	for _, used := range t.used {
		n += int(used)
	}
	return n
}

func (t *tally) find(key uint64) (int, bool) {
	if t == nil {
		return 0, false
	}
	return slices.BinarySearch(t.keys, key)
}
