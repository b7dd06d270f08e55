package store

import "iter"

// Comparison holds the changes of the errors between two runs, the base and the head. The errors are compared as a
// multiset of fingerprints. So if an error occurs three times in the head and once in the base, two of the three errors
// are new. Compare describes the exceptions.
type Comparison struct {
	New       []RunEvent // only in the head, not in the base
	Fixed     []RunEvent // only in the base, not in the head
	Unchanged []RunEvent // in both, or older than the rule that finds them; events of the head
	Counts    Changes    // counts of all events, including events that are not listed
}

// Changes holds the numbers of new, fixed and unchanged errors.
type Changes struct{ New, Fixed, Unchanged int }

// Compare compares the errors of a base run and a head run by their fingerprints. If a fingerprint occurs more often in
// one of the runs, their places in the file decide which of the events are in both runs (see nearest). Equal violations
// of the architecture in several files are matched by file first. A violation that is older than its rule is never new
// (see OlderThanRule). Earlier versions of blq may have stored a message of the base without its last line, so Compare
// also tries the fingerprint without that line (see EarlierFingerprints). Each list of the result has the first limit
// events in log order. A limit of 0 means all events.
//
// Compare iterates over base once or twice, and over head up to three times, so that it needs memory only for the lists
// and for the places of equal errors. It returns their errors.
func Compare(base, head iter.Seq2[RunEvent, error], limit int) (Comparison, error) {
	var c Comparison
	left, at, n, err := tally(base)
	if err != nil {
		return c, err
	}
	inHead, inBase, err := newPlaces(at, head)
	if err != nil {
		return c, err
	}
	both, err := newPairs(left, base, head)
	if err != nil {
		return c, err
	}
	matched := map[string]int{}
	for e, err := range head {
		switch {
		case err != nil:
			return c, err
		case e.Severity != SeverityError:
		default:
			print, known := e.Fingerprint, both.inHead(e) && left[e.Fingerprint] > matched[e.Fingerprint]
			if isPlaced(e) {
				known = inHead.take(e)
			} else if before, ok := brief(e.Event); ok && !known {
				print = Fingerprint(before)
				known = left[print] > matched[print]
			}
			if known {
				matched[print]++
				n--
			} else if !isOlderThanRule(e.Event) {
				c.New = note(c.New, e, &c.Counts.New, limit)
				continue
			}
			c.Unchanged = note(c.Unchanged, e, &c.Counts.Unchanged, limit)
		}
	}
	if n == 0 {
		return c, nil
	}
	for e, err := range base {
		switch {
		case err != nil:
			return c, err
		case e.Severity != SeverityError:
		case isPlaced(e) && inBase.take(e):
		case !isPlaced(e) && both.inBase(e) && matched[e.Fingerprint] > 0:
			matched[e.Fingerprint]--
		default:
			c.Fixed = note(c.Fixed, e, &c.Counts.Fixed, limit)
		}
		if limit > 0 && len(c.Fixed) == limit {
			c.Counts.Fixed = n
			break
		}
	}
	return c, nil
}

// tally returns the number of errors for each fingerprint, the number of violations of the architecture for each
// fingerprint and file, and the number of all errors.
func tally(events iter.Seq2[RunEvent, error]) (by map[string]int, at map[placed]int, all int, err error) {
	by, at = map[string]int{}, map[placed]int{}
	for e, err := range events {
		if err != nil {
			return nil, nil, 0, err
		}
		if isPlaced(e) {
			at[placed{e.Fingerprint, e.File}]++
		}
		if e.Severity == SeverityError {
			by[e.Fingerprint]++
			all++
		}
	}
	return by, at, all, nil
}

// note adds 1 to n, and returns the list with the event. If the list already has limit events, it returns the list
// unchanged.
func note(list []RunEvent, e RunEvent, n *int, limit int) []RunEvent {
	*n++
	if limit > 0 && len(list) == limit {
		return list
	}
	return append(list, e)
}
