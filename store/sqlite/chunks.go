package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/blq-ci/blq/store"
)

// AddChunk implements store.Store.
func (s *Store) AddChunk(ctx context.Context, attempt string, c store.Chunk) error {
	c.Stream = cmp.Or(c.Stream, store.StreamCombined)
	err := s.write(ctx, func(tx *sql.Tx) error {
		r, err := mustFind(ctx, tx, attempt)
		if err != nil {
			return err
		}
		var digest string
		err = tx.QueryRowContext(ctx, `SELECT digest FROM chunks WHERE run_id = ? AND sequence = ?`, r.id,
			c.Sequence).Scan(&digest)
		switch {
		case err == nil:
			return r.CheckRepeated(c, digest)
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
		if err := r.CheckOpen(); err != nil {
			return err
		}
		return insertChunk(ctx, tx, r.id, c)
	})
	if err != nil {
		return fmt.Errorf("add chunk: %w", err)
	}
	return nil
}

func insertChunk(ctx context.Context, tx *sql.Tx, run int64, c store.Chunk) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO chunks (run_id, sequence, stream, first_line, lines, start, bytes, stored, digest, key)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		run, c.Sequence, c.Stream, c.FirstLine, c.Lines, c.Offset, c.Bytes, c.Stored, c.Digest, c.Key)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE runs
		SET bytes = bytes + ?, lines = lines + ?, stored = stored + ?, text_bytes = text_bytes + ?,
			output_at = max(output_at, ?)
		WHERE id = ?`, c.Bytes, c.Lines, c.Stored, store.ChunkRow, micros(c.At), run)
	return err
}

// Received implements store.Store.
func (s *Store) Received(ctx context.Context, sc store.Scope, attempt string) (store.Received, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return store.Received{}, err
	}
	defer leave()
	r, err := visible(ctx, db, sc, attempt)
	if err != nil {
		return store.Received{}, err
	}
	chunks, batches, err := sequences(ctx, db, r.id)
	if err != nil {
		return store.Received{}, fmt.Errorf("list what was received: %w", err)
	}
	return store.NewReceived(chunks, batches), nil
}

// sequences returns the sequence numbers of a run's chunks, and of the run's batches of events, in order.
func sequences(ctx context.Context, db querier, run int64) (chunks, batches []int, err error) {
	chunks, err = query(ctx, db, store.ScanOne[int], `SELECT sequence FROM chunks WHERE run_id = ? ORDER BY sequence`, run)
	if err != nil {
		return nil, nil, err
	}
	batches, err = query(ctx, db, store.ScanOne[int],
		`SELECT sequence FROM batches WHERE run_id = ? ORDER BY sequence`, run)
	return chunks, batches, err
}

// Chunks implements store.Store.
func (s *Store) Chunks(ctx context.Context, sc store.Scope, attempt, stream string, from, to int) (
	[]store.Chunk, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	r, err := visible(ctx, db, sc, attempt)
	if err != nil {
		return nil, err
	}
	var w where
	w.and("run_id = ? AND stream = ?", r.id, cmp.Or(stream, store.StreamCombined))
	w.and("first_line + lines >= ?", from) // a line may continue in the next chunk
	if to > 0 {
		w.and("first_line <= ?", to)
	}
	chunks, err := query(ctx, db, scanChunk, `
		SELECT `+store.ChunkSQL+`
		FROM chunks
		`+w.String()+`
		ORDER BY sequence`, w.args...)
	if err != nil {
		return nil, fmt.Errorf("list chunks: %w", err)
	}
	return chunks, nil
}

func scanChunk(scan func(...any) error) (store.Chunk, error) {
	var c store.Chunk
	err := scan(c.Columns()...)
	return c, err
}

// cutLog removes chunks of a run: the chunks whose sequence number is at least from.
func cutLog(ctx context.Context, tx *sql.Tx, run int64, from int) error {
	for _, q := range []string{
		`INSERT OR IGNORE INTO garbage (key) SELECT key FROM chunks WHERE run_id = ?1 AND sequence >= ?2`,
		`UPDATE runs
		SET bytes = runs.bytes - c.bytes, lines = runs.lines - c.lines, stored = runs.stored - c.stored,
			text_bytes = text_bytes - c.rows * ?3
		FROM (
			SELECT coalesce(sum(bytes), 0) AS bytes, coalesce(sum(lines), 0) AS lines, coalesce(sum(stored), 0) AS stored,
				count(*) AS rows
			FROM chunks
			WHERE run_id = ?1 AND sequence >= ?2
		) AS c
		WHERE id = ?1`,
		`DELETE FROM chunks WHERE run_id = ?1 AND sequence >= ?2`,
	} {
		if _, err := tx.ExecContext(ctx, q, run, from, store.ChunkRow); err != nil {
			return err
		}
	}
	return nil
}
