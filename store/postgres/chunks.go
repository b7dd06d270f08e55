package postgres

import (
	"cmp"
	"context"
	"fmt"

	"github.com/blq-ci/blq/store"
)

// Received implements store.Store.
func (s *Store) Received(ctx context.Context, sc store.Scope, attempt string) (store.Received, error) {
	r, err := s.lookup(ctx, s.pool, sc, store.Ref{Attempt: attempt})
	if err != nil {
		return store.Received{}, err
	}
	chunks, batches, err := sequences(ctx, s.pool, r.id)
	if err != nil {
		return store.Received{}, fmt.Errorf("list what was received: %w", failure(ctx, err))
	}
	return store.NewReceived(chunks, batches), nil
}

// sequences returns the sequence numbers of a run's chunks, and of the run's batches of events, in order.
func sequences(ctx context.Context, db querier, run int64) (chunks, batches []int, err error) {
	chunks, err = query(ctx, db, store.ScanOne[int], `SELECT sequence FROM chunks WHERE run_id = $1 ORDER BY sequence`,
		run)
	if err != nil {
		return nil, nil, err
	}
	batches, err = query(ctx, db, store.ScanOne[int],
		`SELECT sequence FROM batches WHERE run_id = $1 ORDER BY sequence`, run)
	return chunks, batches, err
}

// Chunks implements store.Store.
func (s *Store) Chunks(ctx context.Context, sc store.Scope, attempt, stream string, from, to int) (
	[]store.Chunk, error) {
	r, err := s.lookup(ctx, s.pool, sc, store.Ref{Attempt: attempt})
	if err != nil {
		return nil, err
	}
	var w where
	w.and("run_id = ? AND stream = ?", r.id, encode(cmp.Or(stream, store.StreamCombined)))
	w.and("first_line + lines >= ?", from) // a line may continue in the next chunk
	if to > 0 {
		w.and("first_line <= ?", to)
	}
	chunks, err := query(ctx, s.pool, scanChunk, `
		SELECT `+store.ChunkSQL+`
		FROM chunks
		`+w.String()+`
		ORDER BY sequence`, w.args...)
	if err != nil {
		return nil, fmt.Errorf("list chunks: %w", failure(ctx, err))
	}
	return chunks, nil
}

func scanChunk(scan func(...any) error) (store.Chunk, error) {
	var c store.Chunk
	err := scan(c.Columns()...)
	decodeAll(&c.Stream, &c.Digest, &c.Key)
	return c, err
}
