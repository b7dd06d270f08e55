package store

import (
	"fmt"
	"strings"
)

// Incomplete returns nil if the store has all chunks and batches of a run. f holds the numbers that the client sent.
// chunks and batches hold the stored sequences in order. Conflict: some are missing. The error lists the missing
// sequences.
func Incomplete(run Ref, f Finish, chunks, batches []int) error {
	var parts []string
	if gaps := missing(chunks, f.Chunks); gaps != "" {
		parts = append(parts, "chunks "+gaps)
	}
	if gaps := missing(batches, f.Batches); gaps != "" {
		parts = append(parts, "batches of events "+gaps)
	}
	if parts == nil {
		return nil
	}
	return Hint(Errorf(Conflict, "run %s misses %s", run, strings.Join(parts, " and ")),
		"send what is missing and finish again")
}

// missing returns the numbers from 0 to want-1 that are not in the sorted list have, as text such as "3, 5-9". It lists
// at most 20 ranges.
func missing(have []int, want int) string {
	const maxRanges = 20
	var ranges []string
	next := 0
	for _, n := range append(have[:len(have):len(have)], want) {
		n = min(n, want)
		switch {
		case n < 0:
			continue
		case len(ranges) == maxRanges:
			return strings.Join(ranges, ", ") + " and more"
		case n == next+1:
			ranges = append(ranges, fmt.Sprint(next))
		case n > next:
			ranges = append(ranges, fmt.Sprintf("%d-%d", next, n-1))
		}
		next = n + 1
	}
	return strings.Join(ranges, ", ")
}
