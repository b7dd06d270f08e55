package store

import "iter"

// placed is a violation in a file. Its fingerprint has no file.
type placed struct{ print, file string }

// places decides which of several equal violations are in both runs. Violations in a file that had them before are
// chosen first. The remaining violations have moved from other files.
type places struct {
	stay  map[placed]int // violations that are in both runs in the same file
	moved map[string]int // violations that are in both runs in different files
}

// isPlaced reports whether an event is an error whose fingerprint has no file.
func isPlaced(e RunEvent) bool { return e.Severity == SeverityError && isViolation(e.Event) }

// newPlaces finds the violations that are in both runs. The map at holds the numbers of violations in the base. It
// returns the places in the head and in the base.
func newPlaces(at map[placed]int, head iter.Seq2[RunEvent, error]) (inHead, inBase places, err error) {
	for _, p := range []*places{&inHead, &inBase} {
		*p = places{map[placed]int{}, map[string]int{}}
	}
	if len(at) == 0 {
		return inHead, inBase, nil
	}
	before, after := map[string]int{}, map[string]int{} // violations without an equal one in the same file
	for p, n := range at {
		before[p.print] += n
	}
	for e, err := range head {
		if err != nil {
			return inHead, inBase, err
		}
		if !isPlaced(e) {
			continue
		}
		if p := (placed{e.Fingerprint, e.File}); inHead.stay[p] < at[p] {
			inHead.stay[p]++
			inBase.stay[p]++
			before[e.Fingerprint]--
		} else {
			after[e.Fingerprint]++
		}
	}
	for print, n := range after {
		inHead.moved[print] = min(n, before[print])
		inBase.moved[print] = inHead.moved[print]
	}
	return inHead, inBase, nil
}

// take reports whether an event is in both runs. It counts the event, so each event may be asked for once.
func (p places) take(e RunEvent) bool {
	if at := (placed{e.Fingerprint, e.File}); p.stay[at] > 0 {
		p.stay[at]--
		return true
	}
	if p.moved[e.Fingerprint] > 0 {
		p.moved[e.Fingerprint]--
		return true
	}
	return false
}
