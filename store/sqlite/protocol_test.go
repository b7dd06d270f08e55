package sqlite

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readAll reads the values of a frame.
func readAll(frame string) (list []any, v values, err error) {
	v = values{frame: frame}
	for v.more() {
		value, err := v.next()
		if err != nil {
			return list, v, err
		}
		list = append(list, value)
	}
	return list, v, nil
}

func TestValuesAreReadAsWritten(t *testing.T) {
	t.Parallel()
	want := []any{nil, int64(0), int64(math.MinInt64), int64(math.MaxInt64), "", "a\x00\xff", math.Inf(1), -0.5}
	var b []byte
	for _, v := range want {
		if f, ok := v.(float64); ok {
			b = appendFloat(b, f)
			continue
		}
		b = appendValue(b, v)
	}
	got, v, err := readAll(string(b))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	if v.cost < int64(len(b)) {
		t.Errorf("%d bytes cost %d", len(b), v.cost)
	}
	for n := range len(b) - 1 { // a part causes an error, or has fewer values
		if part, _, err := readAll(string(b[:n])); err == nil && len(part) == len(want) {
			t.Errorf("%d bytes of %d: %v", n, len(b), part)
		}
	}
}

func FuzzValues(f *testing.F) {
	f.Add([]byte{valueText, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte{valueText, 200, 'x'})
	f.Add([]byte{valueFloat, 1})
	f.Add([]byte{valueInt})
	f.Add([]byte{9})
	f.Fuzz(func(t *testing.T, frame []byte) {
		list, v, err := readAll(string(frame))
		if err != nil && !errors.Is(err, errFrame) {
			t.Fatal(err)
		}
		if err == nil && (v.cost < int64(len(frame)) || len(list) > len(frame)) {
			t.Errorf("%d values of %d bytes cost %d", len(list), len(frame), v.cost)
		}
	})
}

func TestFramesOfAProcessAreChecked(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(a *asking) error{
		"rows before columns": func(a *asking) error { return a.rows("\x00") },
		"a name that is none": func(a *asking) error { return a.columns("\x00") },
		"columns twice":       func(a *asking) error { return errors.Join(a.columns("\x03\x01a"), a.columns("\x03\x01a")) },
		"half a row":          func(a *asking) error { return errors.Join(a.columns("\x03\x01a\x03\x01b"), a.rows("\x00")) },
		"more than an answer": func(a *asking) error {
			return errors.Join(a.columns("\x03\x01a"), a.rows(string(slices.Repeat([]byte{0}, 100))))
		},
		"a need without a slice": func(a *asking) error { return a.load(t.Context(), nil, make([]byte, 8)) },
		"half a need":            func(a *asking) error { return a.load(t.Context(), nil, make([]byte, 3)) },
		"half an error":          func(*asking) error { return failure([]byte{0, 1}) },
	} {
		a := &asking{left: 1000, hold: func(int64) error { return nil }}
		if err := read(a); !errors.Is(err, errFrame) {
			t.Errorf("%s: %v", name, err)
		}
	}
	a := &asking{left: 1000}
	for _, kind := range []byte{frameRows, frameColumns, frameNeed, frameEnd, frameNothing, 0, 255} {
		if got := a.maxSize(kind); got > max(batch, a.left) {
			t.Errorf("a frame of kind %q may have %d bytes", kind, got)
		}
	}
}
