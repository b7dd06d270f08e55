package store

// CheckLive checks that events can become the live events of a run. The number of the first event must be at least
// from, and the numbers must increase. Conflict: the run is completed. Invalid: from or the number of an event is not
// valid.
func CheckLive(r Run, from int, events []Event) error {
	if err := r.CheckOpen(); err != nil {
		return err
	}
	if from <= 0 {
		return Errorf(Invalid, "live events are numbered from 1 on, not from %d", from)
	}
	last := from - 1
	for _, e := range events {
		if e.ID <= last {
			return Errorf(Invalid, "live event %d must be above %d", e.ID, last)
		}
		last = e.ID
	}
	return nil
}

// LiveTaken returns the Conflict error for live events that would get numbers beginning with from. It says that an
// added event already has one of these numbers.
func LiveTaken(from int) error {
	return Errorf(Conflict, "a number from %d on is taken by an event that was added", from)
}
