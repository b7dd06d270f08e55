package testpack

import (
	"encoding/binary"
	"sort"
)

// These limits keep steps short, so that other writers wait only briefly.
const (
	resultsAtOnce = 20_000   // results that a step packs
	partBytes     = 32 << 10 // bytes of a block that are read at once
	bytesAtOnce   = 1 << 20  // bytes of blocks whose rows a step changes
	testsAtOnce   = 5000     // tests that a step checks; it removes tests without results
	pagesAtOnce   = 2000     // pages of a removed segment that a step removes
	stepsAtOnce   = 30       // steps of one call of Pack; later calls do the remaining steps
)

// Packing is a segment that is being packed. A store keeps it between the steps, so any process can continue. Each run
// of the segment has a number, its slot. At first, the segment marks all slots as gone. It no longer marks a slot when
// the row of the slot's run refers to the segment.
type Packing struct {
	Segment int64 `json:"-"`
	// Filled is true if the segment has all its pages. Moved is true if it also has all its runs.
	Filled bool     `json:"filled"`
	Moved  bool     `json:"moved"`
	After  int64    `json:"after"` // if Moved: the key of the last test that is known to have results
	Runs   []Cursor `json:"runs"`  // runs that have not moved yet
}

// Cursor is a run, with the position in its block up to which the run is packed.
type Cursor struct {
	Run    int64 `json:"run"`
	Slot   int   `json:"slot"`
	Offset int   `json:"offset"`
	Test   int64 `json:"test"` // test of the previous entry
}

// Loose is a run that is in no segment.
type Loose struct {
	ID     int64 // ID of the run's row
	Serial int
}

// Named is a test of a repository.
type Named struct {
	Key, ID int64
	Paged   bool // the test's page has results
}

// Step is a transaction of a store. It packs results of one repository.
type Step interface {
	// Packing returns the segment that is being packed, or nil if there is none.
	Packing() (*Packing, error)
	// Loose returns the oldest runs that are in no segment. Their number is the constant Runs. Loose returns nothing
	// if there are fewer.
	Loose() ([]Loose, error)
	// Begin adds a segment whose slots are all marked as gone, and sets p.Segment to its ID. serials holds the packed
	// serials of its runs, ordered by slot. whole has a bit for each slot.
	Begin(p *Packing, serials []byte, whole int64) error
	// Save stores a packing.
	Save(p *Packing) error
	// End removes a packing. It also removes the segment if all slots of the segment are gone.
	End(p *Packing) error
	// Part returns up to size bytes of a run's block, from an offset. It returns nothing if the run is in a segment, or
	// if there is no such run.
	Part(run int64, offset, size int) ([]byte, error)
	// AddPages adds pages to a segment.
	AddPages(segment int64, pages []Page) error
	// Move moves runs to a segment. It skips runs that are in a segment already. The segment no longer marks the slots
	// of the moved runs as gone.
	Move(segment int64, runs []Cursor) error
	// Named returns the next tests after a key, ordered by key.
	Named(after int64, limit int) ([]Named, error)
	// EachBlock calls f with the blocks of runs in no segment.
	EachBlock(f func(block []byte) error) error
	// RemoveTests removes tests by ID.
	RemoveTests(ids []int64) error
	// RemovePages removes up to limit pages of a removed segment. The result more is false if no removed
	// segment was found.
	RemovePages(limit int) (more bool, err error)
}

// Pack packs runs in short transactions, if there are enough runs in no segment. It also removes tests without
// results, and pages of removed segments. If Pack fails, or if there is too much work for one call, a later call
// continues.
func Pack(transact func(func(Step) error) error) error {
	parts := parts{}
	for range stepsAtOnce {
		more := false
		err := transact(func(s Step) (err error) {
			more, err = parts.step(s)
			return err
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// RemovePages removes the pages of removed segments, in short transactions.
func RemovePages(transact func(func(Step) error) error) error {
	for more := true; more; {
		err := transact(func(s Step) (err error) {
			more, err = s.RemovePages(pagesAtOnce)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (parts parts) step(s Step) (more bool, err error) {
	p, err := s.Packing()
	switch {
	case err != nil:
		return false, err
	case p == nil:
		return begin(s)
	case !p.Filled:
		err = parts.fill(s, p)
	case !p.Moved:
		err = p.move(s)
	default:
		return true, p.removeTests(s)
	}
	if err != nil {
		return false, err
	}
	return true, s.Save(p)
}

// begin begins a segment. If there are too few runs for a segment, it removes pages of removed segments.
func begin(s Step) (more bool, err error) {
	loose, err := s.Loose()
	if err != nil {
		return false, err
	}
	if len(loose) < Runs {
		return s.RemovePages(pagesAtOnce)
	}
	sort.Slice(loose, func(i, j int) bool { return loose[i].Serial < loose[j].Serial })
	p := &Packing{}
	var serials []int
	for slot, r := range loose {
		p.Runs, serials = append(p.Runs, Cursor{Run: r.ID, Slot: slot}), append(serials, r.Serial)
	}
	return true, s.Begin(p, packSerials(serials), 1<<len(loose)-1)
}

// fill adds the next pages to the segment.
func (parts parts) fill(s Step, p *Packing) error {
	heads := make([]head, len(p.Runs))
	for i := range heads {
		heads[i].Cursor = &p.Runs[i]
		if err := parts.next(s, &heads[i]); err != nil {
			return err
		}
	}
	var pages []Page
	for done := 0; ; {
		test, ok := first(heads)
		if p.Filled = !ok; p.Filled {
			break
		}
		if n := len(pages); n == 0 || pages[n-1].Number != PageOf(test) {
			if done >= resultsAtOnce {
				break
			}
			pages = append(pages, Page{Number: PageOf(test)})
		}
		section, n, err := parts.section(s, heads, test)
		if err != nil {
			return err
		}
		pages[len(pages)-1].add(test, section)
		done += n
	}
	return s.AddPages(p.Segment, pages)
}

// section packs the results of a test in all runs, and returns their number.
func (parts parts) section(s Step, heads []head, test int64) (section []byte, n int, err error) {
	slot := 0
	for i := range heads {
		for h := &heads[i]; h.ok && h.entry.Test == test; n++ {
			section = appendEntry(section, h.entry, h.Slot-slot)
			slot = h.Slot
			h.Offset, h.Test = h.Offset+h.size, test
			if err := parts.next(s, h); err != nil {
				return nil, 0, err
			}
		}
	}
	return section, n, nil
}

// head is the next entry of a run that is being packed.
type head struct {
	*Cursor
	entry Entry
	size  int // bytes in the block
	ok    bool
}

// first returns the lowest test of all heads.
func first(heads []head) (test int64, ok bool) {
	for i := range heads {
		if h := &heads[i]; h.ok && (!ok || h.entry.Test < test) {
			test, ok = h.entry.Test, true
		}
	}
	return test, ok
}

// parts holds the part of each run's block that was read last, by run.
type parts map[int64]part

type part struct {
	offset int
	data   []byte
}

// longestEntry is the max size in bytes of an entry in a block.
const longestEntry = binary.MaxVarintLen64 + 4

// next reads the entry at the cursor.
func (parts parts) next(s Step, h *head) error {
	p := parts[h.Run]
	at := h.Offset - p.offset
	if at < 0 || len(p.data)-at < longestEntry && (len(p.data) == partBytes || at > len(p.data) || p.data == nil) {
		data, err := s.Part(h.Run, h.Offset, partBytes)
		if err != nil {
			return err
		}
		p, at = part{h.Offset, data}, 0
		parts[h.Run] = p
	}
	b := p.data[at:]
	if h.ok = len(b) > 0; !h.ok {
		return nil
	}
	delta, n := binary.Uvarint(b)
	h.entry = Entry{Test: h.Test + int64(delta)}
	if n <= 0 {
		return errShort
	}
	rest, _, ok := h.entry.read(b[n:])
	if !ok {
		return errShort
	}
	h.size = len(b) - len(rest)
	return nil
}

// move moves the next runs to the segment.
func (p *Packing) move(s Step) error {
	n := 0
	for bytes := 0; n < len(p.Runs) && bytes < bytesAtOnce; n++ {
		bytes += p.Runs[n].Offset
	}
	err := s.Move(p.Segment, p.Runs[:n])
	p.Runs = p.Runs[n:]
	p.Moved = len(p.Runs) == 0
	return err
}

// removeTests checks the next tests, and removes tests without results. After the last test, the packing ends.
func (p *Packing) removeTests(s Step) error {
	tests, err := s.Named(p.After, testsAtOnce)
	if err != nil {
		return err
	}
	unused := map[int64]bool{}
	for _, t := range tests {
		if p.After = t.Key; !t.Paged {
			unused[t.ID] = true
		}
	}
	if err := removeUnused(s, unused); err != nil {
		return err
	}
	if len(tests) < testsAtOnce {
		return s.End(p)
	}
	return s.Save(p)
}

// removeUnused removes the given tests that are also in no block.
func removeUnused(s Step, unused map[int64]bool) error {
	if len(unused) == 0 {
		return nil
	}
	err := s.EachBlock(func(block []byte) error {
		for e, err := range entriesOf(block) {
			if err != nil {
				return err
			}
			delete(unused, e.Test)
		}
		return nil
	})
	if err != nil || len(unused) == 0 {
		return err
	}
	ids := make([]int64, 0, len(unused))
	for id := range unused {
		ids = append(ids, id)
	}
	return s.RemoveTests(ids)
}
