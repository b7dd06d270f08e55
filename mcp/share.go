package mcp

import (
	"reflect"
	"sort"

	"github.com/blq-ci/blq/query"
)

// sharing is one of several lists in an answer that are cut together (see share). upTo[i] is the size in bytes of the
// items 0 to i.
type sharing struct {
	part
	upTo []int
}

// runningSizes returns a sum for each item of a list: the size in bytes of this item and of all items before it.
func runningSizes(list reflect.Value) []int {
	sizes, sum := make([]int, list.Len()), 0
	for i := range sizes {
		sum += size(list.Index(i).Interface())
		sizes[i] = sum
	}
	return sizes
}

// share returns several lists as one part. The function fit cuts the part so that each list keeps the same number of
// bytes. A shorter list stays whole.
func share(lists []sharing) part {
	const steps = 500 // number of possible sizes of a list
	kept := func(l sharing, n int) int {
		if n == steps {
			return l.size
		}
		return sort.SearchInts(l.upTo, maxBytes*n/steps+1)
	}
	return part{
		size: steps,
		keep: func(n int) {
			for _, l := range lists {
				l.keep(kept(l, n))
			}
		},
		cut: func(n int) (notes []query.Omission) {
			for _, l := range lists {
				notes = append(notes, l.cut(kept(l, n))...)
			}
			return notes
		},
	}
}
