package store

import "iter"

// placed identifies equal violations in one file. The field print is their fingerprint, which does not depend on the
// file.
type placed struct{ print, file string }

// places decides which of several equal violations are in both runs. It first takes violations whose file has such a
// violation in both runs. Then it takes violations of different files, because code may have moved.
type places struct {
	stay  map[placed]int // violations that are in both runs in the same file
	moved map[string]int // violations that are in both runs in different files
}

// isPlaced reports whether an event is a violation of the architecture with the severity error. The fingerprint of such
// an event does not depend on the file.
func isPlaced(e RunEvent) bool { return e.Severity == SeverityError && isViolation(e.Event) }

// newPlaces finds the violations that are in both runs. The map at holds the numbers of violations in the base.
// inHead has the result for the violations of the head, and inBase the result for those of the base.
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

// take reports whether an event is in both runs. Each call uses up one of the events in both runs, so callers must
// call it once for each event.
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
