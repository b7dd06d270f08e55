package store

// Comparison says what changed from one run to another. Events are compared
// as a multiset of fingerprints, so one error that becomes three is two new.
type Comparison struct {
	New       []RunEvent // in the head and not in the base
	Fixed     []RunEvent // in the base and not in the head
	Unchanged []RunEvent // in both, as they are in the head
}

// Compare compares the errors of a base run with those of a head run. Of
// events with the same fingerprint the earlier ones in the log count as
// unchanged. Events keep their order.
func Compare(base, head []RunEvent) Comparison {
	left := make(map[string]int, len(base))
	for _, e := range base {
		if e.Severity == SeverityError {
			left[e.Fingerprint]++
		}
	}
	var c Comparison
	matched := make(map[string]int, len(left))
	for _, e := range head {
		switch {
		case e.Severity != SeverityError:
		case left[e.Fingerprint] > 0:
			left[e.Fingerprint]--
			matched[e.Fingerprint]++
			c.Unchanged = append(c.Unchanged, e)
		default:
			c.New = append(c.New, e)
		}
	}
	for _, e := range base {
		if e.Severity != SeverityError {
			continue
		}
		if matched[e.Fingerprint] > 0 {
			matched[e.Fingerprint]--
			continue
		}
		c.Fixed = append(c.Fixed, e)
	}
	return c
}
