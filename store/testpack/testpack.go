// Package testpack packs results of tests. A result takes about six bytes in total: in the block of its run and in the
// history of its test. The package imports store.
//
// A block holds the results of a run. A segment holds a second copy of the results of up to Runs runs of a repository,
// ordered by test. Each page of a segment holds the results of PageTests consecutive tests. The history of a test is in
// one page of each segment, and in the blocks of runs that are not in a segment yet.
package testpack

import (
	"encoding/binary"
	"errors"
	"iter"
	"time"

	"github.com/blq-ci/blq/store"
)

// These are the sizes of a segment and of its pages. A segment stores the test results of several runs.
const (
	Runs      = 60 // max runs in a segment, because a 64-bit number has a bit for each run
	PageTests = 8  // tests in a page
)

// PageOf returns the number of the page of a test.
func PageOf(test int64) int64 { return test / PageTests }

// Entry is a result in a block or page.
type Entry struct {
	Test     int64
	Slot     int // slot of the run; only used in pages
	Outcome  store.TestOutcome
	Duration time.Duration
}

var errShort = errors.New("packed results of tests are damaged")

const hasDuration = 8 // bit in an entry's head: 1 if a duration follows

// packBlock packs the entries of a run, sorted by test.
func packBlock(entries []Entry) []byte {
	var b []byte
	last := int64(0)
	for _, e := range entries {
		b = binary.AppendUvarint(b, uint64(e.Test-last))
		b = appendEntry(b, e, 0)
		last = e.Test
	}
	return b
}

// readBlock unpacks the result of packBlock.
func readBlock(b []byte) ([]Entry, error) {
	list := make([]Entry, 0, len(b)/3)
	for e, err := range entriesOf(b) {
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// entriesOf unpacks the entries of a block one by one.
func entriesOf(b []byte) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		last := int64(0)
		for len(b) > 0 {
			delta, n := binary.Uvarint(b)
			last += int64(delta)
			e := Entry{Test: last}
			var ok bool
			if n > 0 {
				b, _, ok = e.read(b[n:])
			}
			if !ok {
				yield(e, errShort)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// far is the min distance between two slots that does not fit into the head of an entry.
const far = 15

// appendEntry appends the outcome, the distance delta and the duration of an entry. delta is the distance between the
// slot of this entry and the slot of the previous entry.
func appendEntry(b []byte, e Entry, delta int) []byte {
	head := byte(e.Outcome) & 7
	code := pack(e.Duration)
	if code > 0 {
		head |= hasDuration
	}
	b = append(b, head|byte(min(delta, far))<<4)
	if delta >= far {
		b = append(b, byte(delta))
	}
	if code > 0 {
		b = binary.BigEndian.AppendUint16(b, code)
	}
	return b
}

// read unpacks an entry from the beginning of b. rest holds the bytes after the entry. delta is the distance between
// the slot of this entry and the slot of the previous entry. ok is false if b does not begin with an entry.
func (e *Entry) read(b []byte) (rest []byte, delta int, ok bool) {
	if len(b) == 0 {
		return nil, 0, false
	}
	head := b[0]
	b, delta = b[1:], int(head>>4)
	if delta == far {
		if len(b) == 0 {
			return nil, 0, false
		}
		b, delta = b[1:], int(b[0])
	}
	e.Outcome = store.TestOutcome(head & 7)
	if head&hasDuration == 0 {
		return b, delta, true
	}
	if len(b) < 2 {
		return nil, 0, false
	}
	e.Duration = unpack(binary.BigEndian.Uint16(b))
	return b[2:], delta, true
}

// sizeOf returns the size of the packed entry at the beginning of b. It returns 0 if b ends before the entry does.
func sizeOf(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	n := 1
	if b[0]>>4 == far {
		n++
	}
	if b[0]&hasDuration != 0 {
		n += 2
	}
	if n > len(b) {
		return 0
	}
	return n
}

// pack returns a duration as a decimal floating-point number of microseconds, with 12 bits of mantissa and 4 bits of
// exponent. So whole microseconds with at most three significant digits are exact.
func pack(d time.Duration) uint16 {
	us, unit, exp := max(0, d.Microseconds()), int64(1), uint16(0)
	if us == 0 && d > 0 {
		us = 1
	}
	for (us+unit/2)/unit > maxMantissa && exp < 15 {
		unit, exp = unit*10, exp+1
	}
	return exp<<12 | uint16(min((us+unit/2)/unit, maxMantissa))
}

const maxMantissa = 1<<12 - 1

func unpack(code uint16) time.Duration {
	us := time.Duration(code & maxMantissa)
	for range code >> 12 {
		us *= 10
	}
	return us * time.Microsecond
}

// Page is a page of a segment.
type Page struct {
	Number int64
	Data   []byte
}

// add appends the results of a test. The tests of a page are in order.
func (p *Page) add(test int64, section []byte) {
	p.Data = append(p.Data, byte(test%PageTests))
	p.Data = binary.AppendUvarint(p.Data, uint64(len(section)))
	p.Data = append(p.Data, section...)
}

// readPage appends the results of a test in a page to the parameter list, ordered by slot. If the page has no results
// of the test, readPage returns nil.
func readPage(list []Entry, data []byte, test int64) ([]Entry, error) {
	for len(data) > 0 {
		size, n := binary.Uvarint(data[1:])
		if n <= 0 || size > uint64(len(data)-1-n) {
			return nil, errShort
		}
		section := data[1+n : 1+n+int(size)]
		if int64(data[0]) == test%PageTests {
			return readSection(list, section, test)
		}
		data = data[1+n+int(size):]
	}
	return nil, nil
}

func readSection(list []Entry, b []byte, test int64) ([]Entry, error) {
	slot := 0
	for len(b) > 0 {
		e := Entry{Test: test}
		rest, delta, ok := e.read(b)
		if !ok || slot+delta >= 64 {
			return nil, errShort
		}
		slot += delta
		e.Slot = slot
		b, list = rest, append(list, e)
	}
	return list, nil
}

// packSerials packs the increasing serials of the runs of a segment.
func packSerials(serials []int) []byte {
	var b []byte
	last := 0
	for _, s := range serials {
		b = binary.AppendUvarint(b, uint64(s-last))
		last = s
	}
	return b
}

// readSerials unpacks the result of packSerials, and appends the serials to a list.
func readSerials(list []int, b []byte) ([]int, error) {
	last := 0
	for len(b) > 0 {
		delta, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errShort
		}
		last += int(delta)
		b, list = b[n:], append(list, last)
	}
	return list, nil
}
