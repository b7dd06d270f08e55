package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

type holdKey struct{}

// Hold is called with the size in bytes of texts that a store has read. It may refuse the texts with
// an error. A negative size means that texts are no longer in memory. The result short is true if
// there is little memory left. Then long texts in lists should be cut.
type Hold func(ctx context.Context, bytes int64) (short bool, err error)

// Holding returns a context in which a store calls f for the texts that it reads.
func Holding(ctx context.Context, f Hold) context.Context {
	return context.WithValue(ctx, holdKey{}, f)
}

// HoldText calls the function of Holding for n bytes of a text that is not from rows of the store, such as a log. If
// ctx does not come from Holding, HoldText does nothing.
func HoldText(ctx context.Context, n int64) error {
	f, ok := ctx.Value(holdKey{}).(Hold)
	if !ok {
		return nil
	}
	_, err := f(ctx, n)
	return err
}

type cutKey struct{}

// Cutting returns a context for reading a list. Long texts of the list may be cut if there is little memory left (see
// Hold). Otherwise a few long texts would turn the whole list into an error. A note at the end of a text says that the
// text was cut.
func Cutting(ctx context.Context) context.Context { return context.WithValue(ctx, cutKey{}, true) }

// Passing returns a context for texts that are in memory only until release is called. A loop over pages calls Passing
// for each page. If ctx does not come from Holding, release does nothing.
func Passing(ctx context.Context) (passing context.Context, release func()) {
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
	return Holding(ctx, count), func() { _, _ = f(ctx, -sum) } // f does not refuse a negative size
}

// holdStep is the min number of bytes that held reports at a time. Most reads are smaller, and are not reported.
const holdStep = 64 << 10

// held counts the bytes of the texts of rows.
type held struct {
	ctx   context.Context //nolint:containedctx // the context of the read
	f     Hold
	cuts  bool // texts may be cut
	short bool // there is little memory left, so the next long texts are cut
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

// cutTo is the number of bytes that are kept of a cut text. Names of repositories, branches and sources are shorter.
const cutTo = 1024

// cutTexts cuts the long texts among the scanned values.
func cutTexts(dest []any) {
	for _, d := range dest {
		if text, ok := d.(*string); ok && len(*text) > 2*cutTo {
			begin := strings.ToValidUTF8((*text)[:cutTo], "") // the cut may be inside of a character
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
