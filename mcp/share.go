package mcp

import (
	"reflect"
	"sort"

	"github.com/blq-ci/blq/query"
)

// sharing is a list of an answer with several. upTo has the bytes of its first items.
type sharing struct {
	part
	upTo []int
}

// runningSizes returns for each item of a list the bytes of the items up to it.
func runningSizes(list reflect.Value) []int {
	sizes, sum := make([]int, list.Len()), 0
	for i := range sizes {
		sum += size(list.Index(i).Interface())
		sizes[i] = sum
	}
	return sizes
}

// share returns the part of an answer that consists of lists. Each keeps as many bytes as the others, if it has them.
func share(lists []sharing) part {
	const steps = 500 // of sizes
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
