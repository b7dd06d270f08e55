package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"

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
	ctx := store.Holding(t.Context(), func(_ context.Context, n int64) error {
		if sum+n > 1<<20 {
			return full
		}
		sum += n
		most = max(most, sum)
		return nil
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
