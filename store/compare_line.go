package store

import (
	"iter"
	"sort"
)

// spot is the place of an error in its file. Errors in different files have different fingerprints.
type spot struct{ line, column int }

func spotOf(e RunEvent) spot { return spot{e.Line, e.Column} }

// otherColumn is the distance between two spots with different columns, besides the distance between their lines. If
// the code above an error changes, the error moves to another line, but seldom to another column.
const otherColumn = 200

func (s spot) distance(o spot) int {
	d := max(s.line-o.line, o.line-s.line)
	if s.column != o.column {
		d += otherColumn
	}
	return d
}

// maxPairs is the max number of pairs of equal errors whose places are compared.
const maxPairs = 1 << 20

// nearest pairs each spot of the first list with a spot of the second list, which is longer. The sum of the distances
// is as small as possible. The pairs are in the order of the lines. It returns which spots of the second list are in a
// pair. If several choices are equally good, or if there are too many spots, it takes the first ones.
func nearest(few, others []spot) []bool {
	paired := make([]bool, len(others))
	spare := len(others) - len(few)
	if len(few)*(spare+1) > maxPairs {
		for i := range few {
			paired[i] = true
		}
		return paired
	}
	few, _ = byLine(few)
	others, from := byLine(others)
	// After i steps of the outer loop, costs[k] is the smallest sum for the first i of few and the first i+k of others.
	costs, isPair := make([]int, spare+1), make([]bool, len(few)*(spare+1))
	for i, s := range few {
		for k := range costs {
			costs[k] += s.distance(others[i+k])
			if pairs := k == 0 || costs[k] < costs[k-1]; pairs {
				isPair[i*len(costs)+k] = true
			} else {
				costs[k] = costs[k-1]
			}
		}
	}
	for i, k := len(few)-1, spare; i >= 0; {
		if isPair[i*len(costs)+k] {
			paired[from[i+k]] = true
			i--
		} else {
			k--
		}
	}
	return paired
}

// byLine returns the spots in the order of their lines, and the index of each spot in the given list.
func byLine(spots []spot) (sorted []spot, from []int) {
	from = make([]int, len(spots))
	for i := range from {
		from[i] = i
	}
	sort.SliceStable(from, func(i, j int) bool { return spots[from[i]].line < spots[from[j]].line })
	for _, i := range from {
		sorted = append(sorted, spots[i])
	}
	return sorted, from
}

// pairs says which of equal errors are in both runs, by fingerprint. It has only fingerprints that occur more often in
// one of the runs.
type pairs map[string]*pairing

// pairing says for each of equal errors, in log order, whether it is in both runs. Each list is used up from its
// beginning. A nil list means that all of the errors are in both runs.
type pairing struct{ inHead, inBase []bool }

// newPairs returns the pairs of two runs. The map left has the number of errors of the base for each fingerprint.
func newPairs(left map[string]int, base, head iter.Seq2[RunEvent, error]) (pairs, error) {
	after, err := spotsOf(head, func(print string) bool { return left[print] > 0 })
	if err != nil {
		return nil, err
	}
	p := pairs{}
	for print, spots := range after {
		if len(spots) != left[print] {
			p[print] = &pairing{}
		}
	}
	if len(p) == 0 {
		return nil, nil
	}
	before, err := spotsOf(base, func(print string) bool { return p[print] != nil })
	for print, one := range p {
		switch older, newer := before[print], after[print]; {
		case len(older) == 0: // spotsOf has left it out
			delete(p, print)
		case len(older) < len(newer):
			one.inHead = nearest(older, newer)
		default:
			one.inBase = nearest(newer, older)
		}
	}
	return p, err
}

// spotsOf returns the places of the errors of a run whose fingerprints are wanted. It leaves out violations of the
// architecture, and fingerprints of errors that may also be equal without the last line of their messages.
func spotsOf(events iter.Seq2[RunEvent, error], wanted func(print string) bool) (map[string][]spot, error) {
	spots := map[string][]spot{}
	var mixed []string
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		if e.Severity != SeverityError || isPlaced(e) {
			continue
		}
		if before, ok := brief(e.Event); ok {
			mixed = append(mixed, Fingerprint(before))
		}
		if wanted(e.Fingerprint) {
			spots[e.Fingerprint] = append(spots[e.Fingerprint], spotOf(e))
		}
	}
	for _, print := range mixed {
		delete(spots, print)
	}
	return spots, nil
}

// inHead reports whether an error of the head may be in both runs. It must be called once for each error of the head.
func (p pairs) inHead(e RunEvent) bool {
	if one := p[e.Fingerprint]; one != nil {
		return next(&one.inHead)
	}
	return true
}

// inBase does the same for an error of the base.
func (p pairs) inBase(e RunEvent) bool {
	if one := p[e.Fingerprint]; one != nil {
		return next(&one.inBase)
	}
	return true
}

// next removes the first element of a list and returns it. It returns true for an empty list.
func next(list *[]bool) bool {
	if len(*list) == 0 {
		return true
	}
	first := (*list)[0]
	*list = (*list)[1:]
	return first
}
