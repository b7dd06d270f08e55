package testpack

import (
	"encoding/binary"
	"sort"
	"time"

	"github.com/blq-ci/blq/store"
)

// entries returns results as entries. ids holds the IDs of tests by key.
func entries(results []store.TestResult, ids map[int64]int64) []Entry {
	list := make([]Entry, len(results))
	for i, r := range results {
		list[i] = Entry{Test: ids[r.Test.Key()], Outcome: r.Outcome, Duration: r.Duration}
	}
	sort.SliceStable(list, func(i, k int) bool { return list[i].Test < list[k].Test })
	return list
}

// Results returns the results in a block.
func Results(block []byte, repo string) ([]store.TestResult, error) {
	entries, err := readBlock(block)
	if err != nil {
		return nil, err
	}
	list := make([]store.TestResult, len(entries))
	for i, e := range entries {
		list[i] = store.TestResult{Test: store.Test{ID: e.Test, Repo: repo}, Outcome: e.Outcome, Attempt: 1,
			Duration: e.Duration}
		if i > 0 && e.Test == entries[i-1].Test {
			list[i].Attempt = list[i-1].Attempt + 1
		}
	}
	return list, nil
}

// Past collects the history of a test.
type Past struct {
	Test int64
	list []result

	entries []Entry // buffer for the entries of a page
	serials []int   // buffer for the serials of a page
}

// result is the result of an attempt in a run. It is half the size of a store.TestPast, because a long list of results
// is copied each time it grows.
type result struct {
	serial   int32
	outcome  int32
	duration time.Duration
}

// AddPage adds the results of the test from a page of a segment. In gone, the bit of a slot is 1 if the run in the slot
// was removed.
func (p *Past) AddPage(data, serials []byte, gone int64) error {
	entries, err := readPage(p.entries[:0], data, p.Test)
	if err != nil || len(entries) == 0 {
		return err
	}
	runs, err := readSerials(p.serials[:0], serials)
	if err != nil {
		return err
	}
	p.entries, p.serials = entries, runs
	for _, e := range entries {
		if e.Slot >= len(runs) {
			return errShort
		}
		if gone>>e.Slot&1 == 0 {
			p.add(runs[e.Slot], e)
		}
	}
	return nil
}

// AddBlock adds the results of the test from the block of a run.
func (p *Past) AddBlock(block []byte, serial int) error {
	last := int64(0)
	for b := block; len(b) > 0; {
		delta, n := binary.Uvarint(b)
		if n <= 0 {
			return errShort
		}
		b, last = b[n:], last+int64(delta)
		size := sizeOf(b)
		if size == 0 {
			return errShort
		}
		if last > p.Test {
			return nil
		}
		if last == p.Test {
			var e Entry
			e.read(b)
			p.add(serial, e)
		}
		b = b[size:]
	}
	return nil
}

func (p *Past) add(serial int, e Entry) {
	p.list = append(p.list, result{int32(serial), int32(e.Outcome), e.Duration})
}

// List returns the history, newest run first. The attempts in a run are in order.
func (p *Past) List() []store.TestPast {
	bySerial := func(i, k int) bool { return p.list[i].serial < p.list[k].serial }
	if !sort.SliceIsSorted(p.list, bySerial) {
		sort.SliceStable(p.list, bySerial)
	}
	list := make([]store.TestPast, 0, len(p.list))
	for end := len(p.list); end > 0; {
		from := end - 1
		for from > 0 && p.list[from-1].serial == p.list[from].serial {
			from--
		}
		for i, r := range p.list[from:end] {
			list = append(list, store.TestPast{Serial: int(r.serial), Outcome: store.TestOutcome(r.outcome), Attempt: i + 1,
				Duration: r.duration})
		}
		end = from
	}
	return list
}
