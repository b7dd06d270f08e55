package store

import "time"

// WaitingWork is a due job of the queue.
type WaitingWork struct {
	ID    int64
	Owner string // owner of the job's repository
	DueAt time.Time
}

// ShareWork returns the IDs of the jobs that a process should start, in order. The parameter free is the number of its
// free workers, atWork has the owner of each job that it runs, and waiting has the due jobs, sorted by due time.
//
// An owner gets another job only if it runs fewer jobs than there are free workers. So an owner with many jobs leaves
// workers for others: a single owner gets about half of the workers, two owners get about a third each, and so on.
// Owners with the fewest running jobs come first. Jobs of one owner start by due time.
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

// isBefore reports whether job a starts before job b. The jobs belong to different owners. The map running holds the
// number of running jobs of each owner.
func isBefore(running map[string]int, a, b WaitingWork) bool {
	switch {
	case running[a.Owner] != running[b.Owner]:
		return running[a.Owner] < running[b.Owner]
	case !a.DueAt.Equal(b.DueAt):
		return a.DueAt.Before(b.DueAt)
	}
	return a.ID < b.ID
}
