package ask

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

const followEvery = 500 * time.Millisecond

// Follow writes the log of a run as it grows, line by line, until the run has
// ended or ctx is cancelled. Without a stream it follows all there are; p.Tail
// and p.From say where to begin.
func (a *Asker) Follow(ctx context.Context, p OutputParams, w io.Writer) error {
	r, ref, err := a.run(ctx, p.Ref)
	if err != nil {
		return err
	}
	if err := a.lines(ctx, ref, &p); err != nil {
		return err
	}
	streams := []string{store.StreamCombined, store.StreamStdout, store.StreamStderr}
	if p.Stream != "" {
		streams = []string{p.Stream}
	}
	next := map[string]int{}
	for _, s := range streams {
		size, err := a.log(r, s).Extent(ctx)
		if err != nil {
			return err
		}
		next[s] = max(1, p.From)
		if p.Tail > 0 {
			next[s] = max(1, size.Lines-p.Tail+1)
		}
	}
	for {
		if err := a.sweep(ctx); err != nil {
			return err
		}
		// Asked before the log is read: what came last is not missed.
		if r, err = a.Store.Run(ctx, a.Scope, store.Ref{Attempt: r.Attempt}); err != nil {
			return err
		}
		running := r.State == store.StateRunning
		for _, s := range streams {
			if next[s], err = writeLines(ctx, a.log(r, s), next[s], p.To, running, w); err != nil {
				return err
			}
		}
		if !running {
			_, _, err := a.stream(ctx, r, p.Stream)
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(followEvery):
		}
	}
}

// writeLines writes the lines from..to and returns the number of the next one.
// With whole, a last line without its end waits for it.
func writeLines(ctx context.Context, log *chunk.Reader, from, to int, whole bool, w io.Writer) (int, error) {
	out := bufio.NewWriterSize(w, 64<<10)
	for l, err := range log.Scan(ctx, from, to) {
		if err != nil {
			return from, errors.Join(err, out.Flush())
		}
		if l.Open && whole {
			break
		}
		if _, err := out.WriteString(Clean(l.Text) + "\n"); err != nil {
			return from, err
		}
		from = l.Number + 1
	}
	return from, out.Flush()
}
