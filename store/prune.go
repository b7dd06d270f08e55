package store

import "time"

// Candidate is a run that Prune may remove.
type Candidate struct {
	ID      int64 // in the engine
	Rank    int   // 1 for the newest of its step; running runs are counted separately
	Stored  int64 // bytes of the objects of its log
	Size    int64 // all bytes, as in Usage, for Oldest
	Events  int   // number of its events, which Choose ignores
	Started time.Time
	Running bool
}

// OnlyByAge reports whether the policy removes runs by their age alone.
func (p Policy) OnlyByAge() bool {
	return p.KeepPerSource <= 0 && p.MaxBytes <= 0 && !p.All && p.Source == ""
}

// Choose returns the runs that the policy does not keep. Both lists are oldest first. Running runs are kept.
// MaxBytes comes last: the oldest runs with a log are removed until the remaining logs fit.
func (p Policy) Choose(all []Candidate) []Candidate {
	var size int64
	gone := make([]bool, len(all))
	for i, c := range all {
		gone[i] = p.isOver(c)
		if !gone[i] {
			size += c.Stored
		}
	}
	var chosen []Candidate
	for i, c := range all {
		if !gone[i] && !c.Running && p.MaxBytes > 0 && size > p.MaxBytes && c.Stored > 0 {
			gone[i] = true
			size -= c.Stored
		}
		if gone[i] {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// isOver reports whether a run is removed whatever the size of its log.
func (p Policy) isOver(c Candidate) bool {
	return !c.Running && (p.All ||
		!p.Before.IsZero() && c.Started.Before(p.Before) ||
		p.KeepPerSource > 0 && c.Rank > p.KeepPerSource)
}

// Oldest returns the first runs of a list that take at least that many bytes together, or all of them.
func Oldest(list []Candidate, bytes int64) []Candidate {
	for i, c := range list {
		if bytes <= 0 {
			return list[:i]
		}
		bytes -= c.Size
	}
	return list
}

// Add adds the counts of another call.
func (p *Pruned) Add(more Pruned) {
	p.Runs += more.Runs
	p.Events += more.Events
	p.Blobs += more.Blobs
	p.Snapshots += more.Snapshots
	p.Bytes += more.Bytes
}
