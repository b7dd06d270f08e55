package lexical

import (
	"slices"
	"sort"
)

// phrases returns the blocks that contain all phrases, or nil if there are no phrases. It reports false if no block
// contains all phrases.
func (x *Index) phrases(all []phrase, headingsOnly bool) (map[int]bool, bool) {
	var within map[int]bool
	for _, ph := range all {
		found := x.phrase(ph, headingsOnly)
		if within != nil {
			for block := range found {
				if !within[block] {
					delete(found, block)
				}
			}
		}
		if within = found; len(found) == 0 {
			return nil, false
		}
	}
	return within, true
}

// phrase returns the blocks that have a phrase.
func (x *Index) phrase(ph phrase, headingsOnly bool) map[int]bool {
	type member struct {
		term
		offset int
	}
	var members []member
	for offset, names := range ph {
		for _, name := range names {
			t, ok := x.find([]byte(name))
			if !ok {
				return nil
			}
			members = append(members, member{t, offset})
		}
	}
	// The rarest term comes first, because it leaves the fewest blocks for the other terms.
	sort.SliceStable(members, func(i, j int) bool { return members[i].blocks < members[j].blocks })
	var starts map[int][]int // possible starts of the phrase by block
	for _, m := range members {
		if starts = continued(starts, m.postings(), m.offset, headingsOnly); len(starts) == 0 {
			return nil
		}
	}
	found := map[int]bool{}
	for block := range starts {
		found[block] = true
	}
	return found
}

// continued filters the possible starts of a phrase, which are positions by block. It keeps a start if the term of p
// is at the given offset from it. If starts is nil, every position is a possible start. With headingsOnly, it leaves
// out blocks that do not have the term in a heading.
func continued(starts map[int][]int, p postings, offset int, headingsOnly bool) map[int][]int {
	next := map[int][]int{}
	for p.next() {
		encoded := p.positionBytes()
		old, known := starts[p.posting.block]
		if starts != nil && !known || headingsOnly && p.in[Heading] == 0 {
			continue
		}
		var at []int
		for _, position := range decodePositions(nil, encoded) {
			if start := position - offset; start >= 0 && (starts == nil || has(old, start)) {
				at = append(at, start)
			}
		}
		if len(at) > 0 {
			next[p.posting.block] = at
		}
	}
	return next
}

// has reports whether an ascending list has a number.
func has(all []int, n int) bool {
	_, ok := slices.BinarySearch(all, n)
	return ok
}
