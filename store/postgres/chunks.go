package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// AddChunk implements store.Store.
func (s *Store) AddChunk(ctx context.Context, attempt string, c store.Chunk) error {
	if c.Stream == "" {
		c.Stream = store.StreamCombined
	}
	err := s.write(ctx, func(tx pgx.Tx) error {
		r, err := lockRun(ctx, tx, attempt)
		if err != nil {
			return err
		}
		var digest string
		err = tx.QueryRow(ctx, `SELECT digest FROM chunks WHERE run_id = $1 AND sequence = $2`, r.id, c.Sequence).Scan(&digest)
		switch {
		case err == nil && decode(digest) == c.Digest:
			return nil
		case err == nil:
			return store.Errorf(store.Conflict, "chunk %d of run %s exists with another digest", c.Sequence, r.Ref())
		case !errors.Is(err, pgx.ErrNoRows):
			return err
		case r.State == store.StateCompleted:
			return store.Errorf(store.Conflict, "run %s is completed", r.Ref())
		case len(encode(c.Key)) > longest:
			return store.Errorf(store.Invalid, "the key of chunk %d is longer than %d bytes", c.Sequence, longest)
		}
		return insertChunk(ctx, tx, r.id, c)
	})
	if err != nil {
		return fmt.Errorf("add chunk: %w", err)
	}
	return nil
}

func insertChunk(ctx context.Context, tx pgx.Tx, run int64, c store.Chunk) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO chunks (run_id, sequence, stream, first_line, lines, start, bytes, stored, digest, key)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		run, c.Sequence, encode(c.Stream), c.FirstLine, c.Lines, c.Offset, c.Bytes, c.Stored, encode(c.Digest), encode(c.Key))
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		UPDATE runs
		SET bytes = bytes + $2, stored = stored + $3, lines = lines + $4
		WHERE id = $1`, run, c.Bytes, c.Stored, c.Lines)
	return err
}

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
