package postgres

import (
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
	var got store.Received
	for _, of := range []struct {
		table           string
		contiguous, all *int
	}{{"chunks", &got.Chunks, &got.AllChunks}, {"batches", &got.Batches, &got.AllBatches}} {
		have, err := query(ctx, s.pool, scanOne[int], `SELECT sequence FROM `+of.table+` WHERE run_id = $1 ORDER BY sequence`, r.id)
		if err != nil {
			return store.Received{}, fmt.Errorf("list %s: %w", of.table, failure(ctx, err))
		}
		*of.all = len(have)
		for *of.contiguous < len(have) && have[*of.contiguous] == *of.contiguous {
			*of.contiguous++
		}
	}
	return got, nil
}

// Chunks implements store.Store.
func (s *Store) Chunks(ctx context.Context, sc store.Scope, attempt, stream string, from, to int) ([]store.Chunk, error) {
	r, err := s.lookup(ctx, s.pool, sc, store.Ref{Attempt: attempt})
	if err != nil {
		return nil, err
	}
	if stream == "" {
		stream = store.StreamCombined
	}
	var w where
	w.and("run_id = ? AND stream = ?", r.id, encode(stream))
	w.and("first_line + lines >= ?", from) // its last line may go on in the next chunk
	if to > 0 {
		w.and("first_line <= ?", to)
	}
	chunks, err := query(ctx, s.pool, scanChunk, `
		SELECT sequence, stream, first_line, lines, start, bytes, stored, digest, key
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
	err := scan(&c.Sequence, &c.Stream, &c.FirstLine, &c.Lines, &c.Offset, &c.Bytes, &c.Stored, &c.Digest, &c.Key)
	decodeAll(&c.Stream, &c.Digest, &c.Key)
	return c, err
}
