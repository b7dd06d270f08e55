package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/blq-ci/blq/store"
)

// texts are rows of a single text.
type texts struct {
	left int
	text string
}

func (r *texts) Next() bool { r.left--; return r.left >= 0 }
func (r *texts) Err() error { return nil }
func (r *texts) Scan(dest ...any) error {
	*dest[0].(*string) = r.text
	return nil
}

func TestTextsThatAreReadAreHeld(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	var sum, most int64
	ctx := store.Holding(t.Context(), func(_ context.Context, n int64) (bool, error) {
		if sum+n > 1<<20 {
			return true, full
		}
		sum += n
		most = max(most, sum)
		return sum > 1<<19, nil
	})
	read := func(ctx context.Context, rows, size int) error {
		list, err := store.ScanRows(ctx, &texts{rows, strings.Repeat("x", size)}, store.ScanOne[string])
		if err == nil && len(list) != rows {
			t.Errorf("%d rows", len(list))
		}
		return err
	}
	if err := read(ctx, 1000, 10); err != nil || sum > 0 {
		t.Errorf("small texts hold %d bytes: %v", sum, err)
	}
	for range 10 { // pages
		passing, done := store.Passing(ctx)
		if err := read(passing, 8, 100<<10); err != nil || sum < 700<<10 {
			t.Errorf("a page holds %d bytes: %v", sum, err)
		}
		done()
	}
	if sum != 0 || most > 900<<10 {
		t.Errorf("after the pages %d bytes are held, at most %d were", sum, most)
	}
	if err := read(ctx, 20, 100<<10); !errors.Is(err, full) {
		t.Errorf("too much was read: %v", err)
	}
	if err := read(t.Context(), 20, 100<<10); err != nil {
		t.Errorf("without a limit: %v", err)
	}
}

// With Cutting, long texts of a list are cut once there is little memory left. A note at the end of a text says that
// the text was cut. Short texts are never cut.
func TestLongTextsOfListsAreCut(t *testing.T) {
	t.Parallel()
	var sum int64
	ctx := store.Holding(t.Context(), func(_ context.Context, n int64) (bool, error) {
		sum += n
		return sum > 1<<20, nil
	})
	long := strings.Repeat("é", 50<<10)
	for _, cutting := range []bool{false, true} {
		sum = 0
		of := ctx
		if cutting {
			of = store.Cutting(ctx)
		}
		list, err := store.ScanRows(of, &texts{500, long}, store.ScanOne[string])
		if err != nil || len(list) != 500 || list[0] != long || cutting != (sum < 2<<20) {
			t.Fatalf("%d texts take %d bytes: %v", len(list), sum, err)
		}
		last := list[len(list)-1]
		if cutting && (!strings.HasSuffix(last, "has 102400 bytes)") || len(last) > 2000 || !utf8.ValidString(last)) {
			t.Errorf("the last text ends %q", last[max(0, len(last)-100):])
		}
	}
	short, err := store.ScanRows(store.Cutting(ctx), &texts{5000, strings.Repeat("x", 1000)}, store.ScanOne[string])
	if err != nil || len(short[4999]) != 1000 {
		t.Errorf("names are cut: %v", err)
	}
}
