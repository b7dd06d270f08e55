package mcp

import (
	"reflect"
	"sort"

	"github.com/blq-ci/blq/query"
)

// sharing is one of several lists in an answer. upTo[i] is the number of bytes of its items up to item i.
type sharing struct {
	part
	upTo []int
}

// runningSizes returns, for each item of a list, the number of bytes of all items up to and including it.
func runningSizes(list reflect.Value) []int {
	sizes, sum := make([]int, list.Len()), 0
	for i := range sizes {
		sum += size(list.Index(i).Interface())
		sizes[i] = sum
	}
	return sizes
}

// share returns several lists as one part that fit can cut. Each list keeps as many bytes as each other list, if it has
// so many.
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
