package query

import (
	"bytes"
	"context"
	"iter"

	"github.com/blq-ci/blq/store/chunk"
)

// logLines implements docs.Lines for a log.
type logLines struct{ log *chunk.Reader }

// Len implements docs.Lines.
func (l logLines) Len(ctx context.Context) (int, error) {
	size, err := l.log.Extent(ctx)
	return size.Lines, err
}

// Lines implements docs.Lines.
func (l logLines) Lines(ctx context.Context, from, to int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for line, err := range l.log.Scan(ctx, from, to) {
			if !yield(shown(line.Text), err) {
				return
			}
		}
	}
}

// textLines implements docs.Lines for a text.
type textLines []byte

// Len implements docs.Lines.
func (t textLines) Len(context.Context) (int, error) {
	n := bytes.Count(t, []byte("\n"))
	if len(t) > 0 && t[len(t)-1] != '\n' {
		n++
	}
	return n, nil
}

// Lines implements docs.Lines.
func (t textLines) Lines(_ context.Context, from, to int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		n := 0
		for line := range bytes.Lines(t) {
			n++
			if n > to {
				return
			}
			if n >= from && !yield(string(bytes.TrimRight(line, "\r\n")), nil) {
				return
			}
		}
	}
}
