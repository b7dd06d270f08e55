package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

type holdKey struct{}

// Hold is told the sizes of texts that a store reads, in bytes. It may refuse them with an error. A negative size means
// that texts are no longer in memory. It returns true for short if there is little room left, so that the next long
// texts of lists should be cut.
type Hold func(ctx context.Context, bytes int64) (short bool, err error)

// Holding returns a context. A store calls f for texts that it reads with this context.
func Holding(ctx context.Context, f Hold) context.Context {
	return context.WithValue(ctx, holdKey{}, f)
}

type cutKey struct{}

// Cutting returns a context for reading a list whose long texts may be cut if there is little room left, see Holding.
// Otherwise a few long texts would make the whole list an error. A text that was cut says so at its end.
func Cutting(ctx context.Context) context.Context { return context.WithValue(ctx, cutKey{}, true) }

// Passing returns a context for texts that are in memory only until done is called. Loops over pages use it for each
// page. If ctx does not come from Holding, done does nothing.
func Passing(ctx context.Context) (passing context.Context, done func()) {
	f, ok := ctx.Value(holdKey{}).(Hold)
	if !ok {
		return ctx, func() {}
	}
	var sum int64
	count := func(_ context.Context, bytes int64) (bool, error) {
		short, err := f(ctx, bytes)
		if err == nil {
			sum += bytes
		}
		return short, err
	}
	return Holding(ctx, count), func() { _, _ = f(ctx, -sum) } // nobody refuses what is given back
}

// holdStep is the number of bytes that are reported at a time. Most reads are smaller, and are not reported.
const holdStep = 64 << 10

// held counts the bytes of the texts of rows.
type held struct {
	ctx   context.Context //nolint:containedctx // the context of the read
	f     Hold
	cuts  bool // texts may be cut
	short bool // texts are cut from now on
	bytes int64
}

func holdingOf(ctx context.Context) *held {
	f, _ := ctx.Value(holdKey{}).(Hold)
	return &held{ctx: ctx, f: f, cuts: ctx.Value(cutKey{}) != nil}
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
		if h.short && h.cuts {
			cutTexts(dest)
		}
		if h.bytes += textSize(dest); h.bytes < holdStep {
			return nil
		}
		bytes := h.bytes
		h.bytes = 0
		var err error
		h.short, err = h.f(h.ctx, bytes)
		return err
	}
}

// cutTo is the size in bytes of texts that were cut. Names of repositories, branches and sources are shorter.
const cutTo = 1024

// cutTexts cuts long texts among the scanned values.
func cutTexts(dest []any) {
	for _, d := range dest {
		if text, ok := d.(*string); ok && len(*text) > 2*cutTo {
			begin := strings.ToValidUTF8((*text)[:cutTo], "") // a part of a character may be left at the end
			*text = fmt.Sprintf("%s… (cut, because this list is long: the text has %d bytes)", begin, len(*text))
		}
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
