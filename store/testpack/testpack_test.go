package testpack

import (
	"math/rand/v2"
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
	for _, p := range pages(blocks) {
		byNumber[p.Number] = p.Data
	}
	for test := range int64(50) {
		got, err := readPage(nil, byNumber[PageOf(test)], test)
		if err != nil || !cmp.Equal(got, want[test]) {
			t.Errorf("test %d: %v %s", test, err, cmp.Diff(want[test], got))
		}
	}
}

func FuzzDamagedBytesAreAnError(f *testing.F) {
	f.Add(packBlock(block(9)), int64(6))
	f.Add(pages([][]Entry{block(9), block(9)})[0].Data, int64(6))
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
