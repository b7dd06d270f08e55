package store

import "time"

// Policy defines the data that Prune keeps. Zero fields set no limit.
//
// With Before, Prune removes the runs of each step in the order in which the store got them. It stops at the first run
// that started at Before or later. The order matters because clocks may be wrong, and because a success must not stay
// when a later failure of its step is removed. Prune does not stop at a run with a date in the future. It removes such
// a run together with the next old run of the same step.
type Policy struct {
	Before        time.Time // remove runs that started before this time, in the order described for Policy
	KeepPerSource int       // number of newest runs to keep for each step of a source
	MaxBytes      int64     // max bytes of stored logs; the oldest runs are removed first
	All           bool      // remove everything except running runs
	Source        string    // only runs of this source, "" for all sources
}

// Pruned counts the data that Prune removed.
type Pruned struct {
	Runs, Events, Blobs int
	Snapshots           int
	Sources             int   // versions of external documentation
	Jobs                int   // dead jobs of the queue
	Bytes               int64 // bytes of stored logs
}

// Candidate is a run that Prune or Shrink may remove. The run is not running.
type Candidate struct {
	ID     int64 // ID of the run's row in the engine
	Size   int64 // for Prune: bytes of the log's objects; for Shrink: bytes of all data of the run
	Events int
}

// PrunePage is the max number of candidates that an engine reads at a time.
const PrunePage = 50_000

// Candidates reads runs for Prune.
type Candidates struct {
	// Over returns runs that the policy removes regardless of their size. All returns all runs that the policy may
	// remove, also runs without a log. Both leave out running runs. Both return the oldest runs whose ID is higher than
	// the parameter after, or no runs if there are no more.
	Over, All func(after int64) ([]Candidate, error)
	// Size returns the size of all logs.
	Size func() (int64, error)
}

// Prune removes the runs that the policy does not keep, oldest first, one page at a time. If the remaining logs have
// more than MaxBytes bytes, it then removes the oldest runs, until the logs fit. It also removes runs without a log
// that are older than the last removed run. Otherwise an earlier success could stay after a later failure of its step
// was removed.
func (p Policy) Prune(c Candidates, remove func([]Candidate) error) error {
	if p.All || !p.Before.IsZero() || p.KeepPerSource > 0 {
		err := eachPage(c.Over, func(page []Candidate) (bool, error) { return true, remove(page) })
		if err != nil {
			return err
		}
	}
	if p.MaxBytes <= 0 {
		return nil
	}
	size, err := c.Size()
	if err != nil || size <= p.MaxBytes {
		return err
	}
	return eachPage(c.All, func(page []Candidate) (bool, error) {
		page = Oldest(page, size-p.MaxBytes)
		for _, run := range page {
			size -= run.Size
		}
		return size > p.MaxBytes, remove(page)
	})
}

// eachPage reads pages, and calls the function do with each page. It stops after the last page, or when do returns
// false for more.
func eachPage(read func(after int64) ([]Candidate, error), do func([]Candidate) (more bool, err error)) error {
	for after, more := int64(0), true; more; {
		page, err := read(after)
		if err != nil || len(page) == 0 {
			return err
		}
		after = page[len(page)-1].ID
		if more, err = do(page); err != nil {
			return err
		}
	}
	return nil
}

// Oldest returns the first runs of a list that together have at least the given number of bytes, or all runs if they
// have fewer.
func Oldest(list []Candidate, bytes int64) []Candidate {
	for i, c := range list {
		if bytes <= 0 {
			return list[:i]
		}
		bytes -= c.Size
	}
	return list
}

// Add adds the numbers in more to p.
func (p *Pruned) Add(more Pruned) {
	p.Runs += more.Runs
	p.Events += more.Events
	p.Blobs += more.Blobs
	p.Snapshots += more.Snapshots
	p.Sources += more.Sources
	p.Jobs += more.Jobs
	p.Bytes += more.Bytes
}
