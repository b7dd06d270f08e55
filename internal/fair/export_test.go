package fair

// Used returns how many slots are taken, and how many requests wait.
func (q *Queue) Used() (working, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, line := range q.lines {
		waiting += len(line)
	}
	return q.used, waiting
}
