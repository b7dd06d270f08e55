package fair

import "time"

func (q *Queue) SetClock(now func() time.Time) { q.now = now }

// Used returns the number of taken slots, and the number of waiting requests.
func (q *Queue) Used() (working, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, line := range q.lines {
		waiting += len(line)
	}
	return len(q.atWork), waiting
}
