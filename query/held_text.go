package query

import (
	"context"
	"io"

	"github.com/blq-ci/blq/store"
)

// heldText writes the text of a log into an answer. It counts the text as memory of the caller (see store.Hold),
// because a slow reader keeps the answer in memory for a long time.
type heldText struct {
	ctx  context.Context //nolint:containedctx // the context of the answer
	to   io.Writer
	more int64 // bytes that are not counted yet
}

// heldStep is the min number of bytes that heldText counts at a time. Shorter answers are not counted.
const heldStep = 64 << 10

// inMemory calls f with the max number of bytes of a text. If f needs more memory than the caller may have, it calls f
// again with fewer bytes.
func inMemory[T any](ctx context.Context, f func(ctx context.Context, max int) (T, error)) (T, error) {
	for max := partBytes; ; max /= 4 {
		passing, done := store.Passing(ctx)
		v, err := f(passing, max)
		if store.CodeOf(err) != store.TooLarge || max <= heldStep {
			return v, err
		}
		done()
	}
}

// Write writes a part of the text.
func (t *heldText) Write(p []byte) (int, error) {
	if err := t.count(len(p)); err != nil {
		return 0, err
	}
	return t.to.Write(p)
}

// WriteString writes a part of the text.
func (t *heldText) WriteString(s string) (int, error) {
	if err := t.count(len(s)); err != nil {
		return 0, err
	}
	return io.WriteString(t.to, s)
}

func (t *heldText) count(n int) error {
	if t.more += int64(n); t.more < heldStep {
		return nil
	}
	more := t.more
	t.more = 0
	return store.HoldText(t.ctx, more)
}
