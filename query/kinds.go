package query

import (
	"hash/maphash"

	"github.com/blq-ci/blq/store"
)

// kinds counts the errors of a run by kind. Errors of one kind look alike. For each kind, it keeps the IDs of the
// first errors.
type kinds struct {
	max   int // max kinds
	list  []kind
	at    map[uint64]int
	total int // all errors, including errors of kinds over the max
}

// kind is a set of errors that look alike.
type kind struct {
	ids   []int // IDs of the first errors
	count int
}

// samples is the max number of errors of each kind that are read. An answer shows one of them in full, and the others
// in brief.
const samples = maxAlso + 1

func newKinds(limit int) *kinds { return &kinds{max: limit, at: map[uint64]int{}} }

// add adds an error to the count of its kind. If apart is true, errors with different fingerprints belong to different
// kinds, even if they look alike.
func (k *kinds) add(p store.Print, identity uint64, apart bool) {
	k.total++
	of := mix(uint64(p.Pattern), word(string(p.Category)))
	switch {
	case apart:
		of = mix(of, identity)
	case p.Terse: // grouped uses the same rule
		of = mix(of, word(p.File))
	}
	i, seen := k.at[of]
	if !seen {
		if len(k.list) == k.max {
			return
		}
		i = len(k.list)
		k.at[of], k.list = i, append(k.list, kind{})
	}
	one := &k.list[i]
	one.count++
	if len(one.ids) < samples {
		one.ids = append(one.ids, p.ID)
	}
}

// identity returns a number that is equal for errors with equal fingerprints and equal categories.
func identity(fingerprint int64, category store.Category) uint64 {
	return mix(uint64(fingerprint), word(string(category)))
}

var seed = maphash.MakeSeed()

func word(s string) uint64 { return maphash.String(seed, s) }

// mix returns a number that depends on both numbers.
func mix(x, y uint64) uint64 {
	x ^= y + 0x9e3779b97f4a7c15 + x<<6 + x>>2
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}
