package store

// CheckLive checks that events can become the live events of a run, beginning at the number from. Conflict: the run is
// completed. Invalid: the numbers of the events do not increase from there.
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

// LiveTaken returns the Conflict error for live events if a stored event has a number of at least from.
func LiveTaken(from int) error {
	return Errorf(Conflict, "a number from %d on is taken by an event that was added", from)
}
