package store

import "time"

// WaitingWork is a job of the queue that is due.
type WaitingWork struct {
	ID    int64
	Owner string // of its repository
	DueAt time.Time
}

// ShareWork returns which jobs a holder with free workers begins, in order. An owner may have as many workers of the
// holder as are still free, so one that has many jobs leaves room for who comes next: it gets half of the workers, two
// get a third each, and so on. Owners with the fewest jobs at work come first; of an owner, those that are due first.
// The jobs that wait are sorted. atWork has the owner of each job that the holder has.
func ShareWork(free int, atWork []string, waiting []WaitingWork) (ids []int64) {
	has := map[string]int{}
	for _, owner := range atWork {
		has[owner]++
	}
	lines := map[string][]WaitingWork{}
	var owners []string
	for _, w := range waiting {
		if len(lines[w.Owner]) == 0 {
			owners = append(owners, w.Owner)
		}
		lines[w.Owner] = append(lines[w.Owner], w)
	}
	for ; free > 0; free-- {
		var next *WaitingWork
		for _, owner := range owners {
			line := lines[owner]
			if len(line) > 0 && has[owner] < free && (next == nil || isBefore(has, line[0], *next)) {
				next = &line[0]
			}
		}
		if next == nil {
			break
		}
		ids = append(ids, next.ID)
		lines[next.Owner] = lines[next.Owner][1:]
		has[next.Owner]++
	}
	return ids
}

// isBefore reports whether a job begins before that of another owner.
func isBefore(has map[string]int, a, b WaitingWork) bool {
	switch {
	case has[a.Owner] != has[b.Owner]:
		return has[a.Owner] < has[b.Owner]
	case !a.DueAt.Equal(b.DueAt):
		return a.DueAt.Before(b.DueAt)
	}
	return a.ID < b.ID
}
