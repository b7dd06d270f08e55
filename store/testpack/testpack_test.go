package testpack

import (
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

// rounded returns a duration after packing and unpacking.
func rounded(d time.Duration) time.Duration { return unpack(pack(d)) }

func TestDurationsOfThreeDigitsAreExact(t *testing.T) {
	for _, d := range []time.Duration{0, time.Microsecond, 999 * time.Microsecond, 4095 * time.Microsecond,
		1500 * time.Millisecond, 123 * time.Second, 4000 * time.Second} {
		if got := rounded(d); got != d {
			t.Errorf("%s is read as %s", d, got)
		}
	}
	for range 1000 {
		d := time.Duration(rand.Int64N(int64(1000 * time.Hour)))
		if got := rounded(d); (got-d).Abs() > d/800+time.Microsecond || unpack(pack(got)) != got {
			t.Errorf("%s is read as %s, and then as %s", d, got, unpack(pack(got)))
		}
	}
	if rounded(time.Nanosecond) != time.Microsecond {
		t.Error("a duration becomes unknown")
	}
}

// block returns entries for some of n tests.
func block(n int) []Entry {
	var list []Entry
	for test := range n {
		for tries := rand.IntN(3); tries > 0; tries-- {
			list = append(list, Entry{Test: int64(5 + test), Outcome: store.TestOutcome(rand.IntN(5)),
				Duration: rounded(time.Duration(rand.IntN(2)) * time.Duration(rand.IntN(1e10)))})
		}
	}
	return list
}

// stored is a store with blocks and with the pages that they are packed into.
type stored struct {
	Step
	t      testing.TB
	blocks [][]byte
	pages  []Page
	reads  int
	steps  []int // results per step
}

func (s *stored) Part(run int64, offset, size int) ([]byte, error) {
	s.reads++
	b := s.blocks[run]
	return b[min(len(b), offset):min(len(b), offset+size)], nil
}

func (s *stored) AddPages(_ int64, pages []Page) error {
	s.pages = append(s.pages, pages...)
	return nil
}

// packed packs blocks into pages in several steps, and returns the store with the pages. If forget is true, each step
// reads its input again, as a new process does.
func packed(t testing.TB, forget bool, blocks ...[]Entry) *stored {
	s := &stored{t: t}
	p := &Packing{}
	for i, b := range blocks {
		s.blocks = append(s.blocks, packBlock(b))
		p.Runs = append(p.Runs, Cursor{Run: int64(i), Slot: i})
	}
	parts, done := parts{}, 0
	for !p.Filled {
		if forget {
			clear(parts)
		}
		if err := parts.fill(s, p); err != nil {
			t.Fatal(err)
		}
		left := 0
		for i, b := range s.blocks {
			for e, err := range entriesOf(b[p.Runs[i].Offset:]) {
				_ = e
				if err == nil {
					left++
				}
			}
		}
		all := 0
		for _, b := range blocks {
			all += len(b)
		}
		s.steps = append(s.steps, all-left-done)
		done = all - left
	}
	return s
}

func TestPagesHaveWhatBlocksHave(t *testing.T) {
	var blocks [][]Entry
	want := map[int64][]Entry{}
	for slot := range Runs {
		b := block(30)
		read, err := readBlock(packBlock(b))
		if err != nil || len(b) > 0 && !cmp.Equal(read, b) {
			t.Fatalf("block: %v %s", err, cmp.Diff(b, read))
		}
		blocks = append(blocks, b)
		for _, e := range b {
			e.Slot = slot
			want[e.Test] = append(want[e.Test], e)
		}
	}
	byNumber := map[int64][]byte{}
	for _, p := range packed(t, false, blocks...).pages {
		byNumber[p.Number] = p.Data
	}
	for test := range int64(50) {
		got, err := readPage(nil, byNumber[PageOf(test)], test)
		if err != nil || !cmp.Equal(got, want[test]) {
			t.Errorf("test %d: %v %s", test, err, cmp.Diff(want[test], got))
		}
	}
}

func TestManyResultsArePackedInSteps(t *testing.T) {
	var same, other [][]Entry
	for slot := range Runs {
		var a, b []Entry
		for test := range 5000 {
			e := Entry{Test: int64(7 + test), Outcome: store.TestFailed, Duration: time.Millisecond}
			a = append(a, e)
			e.Test += int64(1e6 * (Runs - slot)) // each run has its own tests
			b = append(b, e)
		}
		same, other = append(same, a), append(other, b)
	}
	for name, blocks := range map[string][][]Entry{"the same tests": same, "other tests": other} {
		for _, forget := range []bool{false, true} {
			s := packed(t, forget, blocks...)
			for _, n := range s.steps {
				if n > resultsAtOnce+Runs*PageTests {
					t.Errorf("%s: a step packs %d results", name, n)
				}
			}
			if most := 4 * Runs * (1 + len(s.steps)); s.reads > most || !forget && s.reads > 4*Runs {
				t.Errorf("%s: %d reads in %d steps", name, s.reads, len(s.steps))
			}
			last := int64(-1)
			for _, p := range s.pages {
				if p.Number <= last {
					t.Fatalf("%s: page %d follows on page %d", name, p.Number, last)
				}
				last = p.Number
			}
			for slot, b := range blocks {
				for _, i := range []int{0, 1234, 4999} {
					test := b[i].Test
					at := sort.Search(len(s.pages), func(i int) bool { return s.pages[i].Number >= PageOf(test) })
					got, err := readPage(nil, s.pages[at].Data, test)
					if want := len(pastOf(blocks, test)); err != nil || len(got) != want {
						t.Fatalf("%s: run %d, test %d has %d results of %d, %v", name, slot, test, len(got), want, err)
					}
				}
			}
		}
	}
}

// pastOf returns the results of a test. Each of the given blocks has at most one result of the test, and is sorted by
// test.
func pastOf(blocks [][]Entry, test int64) (list []Entry) {
	for _, b := range blocks {
		i := sort.Search(len(b), func(i int) bool { return b[i].Test >= test })
		if i < len(b) && b[i].Test == test {
			list = append(list, b[i])
		}
	}
	return list
}

func FuzzDamagedBytesAreAnError(f *testing.F) {
	f.Add(packBlock(block(9)), int64(6))
	f.Add(packed(f, false, block(9), block(9)).pages[0].Data, int64(6))
	f.Fuzz(func(t *testing.T, data []byte, test int64) {
		entries, err := readBlock(data)
		if err == nil && len(entries) > len(data) {
			t.Errorf("%d entries in %d bytes", len(entries), len(data))
		}
		for range test & 1 { // damaged data may give wrong results, but no panic
			_, _ = readPage(nil, data, test)
			_, _ = readSerials(nil, data)
		}
		p := Past{Test: test}
		_ = p.AddPage(data, data, test)
		_ = p.AddBlock(data, 1)
	})
}
