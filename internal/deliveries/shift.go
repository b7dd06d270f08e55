package deliveries

import (
	"context"
	"errors"
	"io"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// shift holds the turn in which a job may use the processor. While the job waits for the store, for objects or for
// GitHub, it gives up the turn, so that other jobs can work.
type shift struct {
	ctx   context.Context //nolint:containedctx // context of the job
	enter func(context.Context) (leave func(), err error)
	leave func() // nil outside of the turn
}

// work waits for a turn, and calls the function during the turn.
func (s *shift) work(f func() error) error {
	if err := s.begin(); err != nil {
		return err
	}
	defer s.end()
	return f()
}

// outside gives up the turn while the function runs, and then waits for a new turn. The function should wait for
// something other than a processor.
func (s *shift) outside(f func() error) error {
	if s.leave == nil {
		return f()
	}
	s.end()
	return errors.Join(f(), s.begin())
}

func (s *shift) begin() (err error) {
	s.leave, err = s.enter(s.ctx)
	return err
}

func (s *shift) end() {
	if s.leave != nil {
		s.leave()
		s.leave = nil
	}
}

// reader returns a reader that lets other jobs work before each read.
func (s *shift) reader(r io.Reader) io.Reader { return pausing{s.ctx, r} }

type pausing struct {
	ctx context.Context //nolint:containedctx // context of the job
	io.Reader
}

func (p pausing) Read(b []byte) (int, error) {
	if err := store.Pause(p.ctx); err != nil {
		return 0, err
	}
	return p.Reader.Read(b)
}

// keeper stores the chunks of a log outside of the turn.
type keeper struct {
	*shift
	chunk.Adder
	chunk.Putter
}

// AddChunk implements chunk.Adder.
func (k keeper) AddChunk(ctx context.Context, attempt string, c store.Chunk) error {
	return k.outside(func() error { return k.Adder.AddChunk(ctx, attempt, c) })
}

// Put implements chunk.Putter.
func (k keeper) Put(ctx context.Context, key string, data []byte) error {
	return k.outside(func() error { return k.Putter.Put(ctx, key, data) })
}
