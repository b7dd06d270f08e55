package store

import (
	"context"
	"database/sql"
)

type holdKey struct{}

// Holding returns a context for counting the memory of texts. A store calls f with the size in bytes of the texts that
// it reads with this context. f may refuse the texts with an error. A negative size means that texts are no longer in
// memory.
func Holding(ctx context.Context, f func(ctx context.Context, bytes int64) error) context.Context {
	return context.WithValue(ctx, holdKey{}, f)
}

// Passing returns a context for texts that are in memory only until done is called. Loops over pages use it for each
// page. If ctx does not come from Holding, done does nothing.
func Passing(ctx context.Context) (passing context.Context, done func()) {
	f, ok := ctx.Value(holdKey{}).(func(context.Context, int64) error)
	if !ok {
		return ctx, func() {}
	}
	var sum int64
	count := func(_ context.Context, bytes int64) error {
		err := f(ctx, bytes)
		if err == nil {
			sum += bytes
		}
		return err
	}
	return Holding(ctx, count), func() { _ = f(ctx, -sum) } // f does not refuse a negative size
}

// holdStep is the number of bytes that are reported at a time. Most reads are smaller, and are not reported.
const holdStep = 64 << 10

// held counts the bytes of the texts of rows.
type held struct {
	ctx   context.Context //nolint:containedctx // the context of the read
	f     func(context.Context, int64) error
	bytes int64
}

func holdingOf(ctx context.Context) *held {
	f, _ := ctx.Value(holdKey{}).(func(context.Context, int64) error)
	return &held{ctx: ctx, f: f}
}

// scan returns a scan function that also counts the bytes of the scanned texts.
func (h *held) scan(scan func(...any) error) func(...any) error {
	if h.f == nil {
		return scan
	}
	return func(dest ...any) error {
		if err := scan(dest...); err != nil {
			return err
		}
		if h.bytes += textSize(dest); h.bytes < holdStep {
			return nil
		}
		bytes := h.bytes
		h.bytes = 0
		return h.f(h.ctx, bytes)
	}
}

// textSize returns the number of bytes of scanned texts.
func textSize(dest []any) (n int64) {
	for _, d := range dest {
		switch d := d.(type) {
		case *string:
			n += int64(len(*d))
		case *[]byte:
			n += int64(len(*d))
		case *sql.NullString:
			n += int64(len(d.String))
		case **string:
			if *d != nil {
				n += int64(len(**d))
			}
		}
	}
	return n
}
