package testpack

import (
	"slices"
	"sort"

	"github.com/blq-ci/blq/store"
)

// Run holds the packed results of one run.
type Run struct {
	ID     int64 // ID of the run's row
	Serial int
	Block  []byte
}

// Segment holds the packed results of several runs of a repository.
type Segment struct {
	Runs   []int64 // IDs of the rows of the runs; the index of a run is its slot
	Packed []byte  // serials of the runs, see packSerials
	Pages  []Page
}

// Merge packs the results of runs into a segment.
func Merge(runs []Run) (Segment, error) {
	sort.Slice(runs, func(i, j int) bool { return runs[i].Serial < runs[j].Serial })
	var s Segment
	var serials []int
	blocks := make([][]Entry, len(runs))
	for i, r := range runs {
		var err error
		if blocks[i], err = readBlock(r.Block); err != nil {
			return s, err
		}
		s.Runs, serials = append(s.Runs, r.ID), append(serials, r.Serial)
	}
	s.Packed, s.Pages = packSerials(serials), pages(blocks)
	return s, nil
}

// Entries returns results as entries. ids holds the IDs of tests by key.
func Entries(results []store.TestResult, ids map[int64]int64) []Entry {
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
	list []store.TestPast

	entries []Entry // buffer for the entries of a page
	serials []int   // buffer for the serials of a page
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
	for e, err := range entriesOf(block) {
		if err != nil || e.Test > p.Test {
			return err
		}
		if e.Test == p.Test {
			p.add(serial, e)
		}
	}
	return nil
}

func (p *Past) add(serial int, e Entry) {
	r := store.TestPast{Serial: serial, Outcome: e.Outcome, Attempt: 1, Duration: e.Duration}
	if n := len(p.list); n > 0 && p.list[n-1].Serial == serial {
		r.Attempt = p.list[n-1].Attempt + 1
	}
	p.list = append(p.list, r)
}

// List returns the history, newest run first. The attempts in a run are in order. After List, no page or block may be
// added.
func (p *Past) List() []store.TestPast {
	bySerial := func(i, k int) bool { return p.list[i].Serial < p.list[k].Serial }
	if !sort.SliceIsSorted(p.list, bySerial) {
		sort.SliceStable(p.list, bySerial)
	}
	slices.Reverse(p.list)
	for from := 0; from < len(p.list); {
		end := from + 1
		for end < len(p.list) && p.list[end].Serial == p.list[from].Serial {
			end++
		}
		slices.Reverse(p.list[from:end]) // keep the attempts of a run in order
		from = end
	}
	return p.list
}
