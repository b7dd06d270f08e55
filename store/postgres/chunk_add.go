package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// AddChunk implements store.Store.
func (s *Store) AddChunk(ctx context.Context, attempt string, c store.Chunk) error {
	c.Stream = cmp.Or(c.Stream, store.StreamCombined)
	if len(encode(c.Key)) > maxName {
		return store.Errorf(store.Invalid, "add chunk: the key of chunk %d is longer than %d bytes", c.Sequence, maxName)
	}
	done, err := s.addNewChunk(ctx, attempt, c)
	if err == nil && !done {
		err = s.write(ctx, func(tx pgx.Tx) error { return addChunk(ctx, tx, attempt, c) })
	}
	if err != nil {
		return fmt.Errorf("add chunk: %w", err)
	}
	return nil
}

// addNewChunk adds a new chunk to a run that is not completed. It needs one statement, and this is the usual case.
// addChunk needs several statements and takes longer. addNewChunk returns false if the caller must call addChunk.
func (s *Store) addNewChunk(ctx context.Context, attempt string, c store.Chunk) (bool, error) {
	tag, err := s.pool.Exec(ctx, `
		WITH run AS (
			UPDATE runs AS r
			SET bytes = bytes + $2, stored = stored + $3, lines = lines + $4, text_bytes = text_bytes + $11,
				output_at = greatest(output_at, $12)
			WHERE attempt = $1 AND state <> 'completed'
			  AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.run_id = r.id AND c.sequence = $5)
			RETURNING r.id
		)
		INSERT INTO chunks (run_id, sequence, stream, first_line, lines, start, bytes, stored, digest, key)
		SELECT run.id, $5, $6, $7, $4, $8, $2, $3, $9, $10
		FROM run`,
		encode(attempt), c.Bytes, c.Stored, int64(c.Lines), int64(c.Sequence), encode(c.Stream), int64(c.FirstLine), c.Offset,
		encode(c.Digest), encode(c.Key), int64(store.ChunkRow), timeOf(c.At))
	switch stateOf(err) {
	case uniqueViolation, serialization, deadlock: // another call writes at the same time
		return false, nil
	}
	return tag.RowsAffected() > 0, failure(ctx, err)
}

// addChunk locks the run and adds a chunk. It does nothing if the chunk exists.
func addChunk(ctx context.Context, tx pgx.Tx, attempt string, c store.Chunk) error {
	r, err := lockRun(ctx, tx, attempt)
	if err != nil {
		return err
	}
	var digest string
	err = tx.QueryRow(ctx, `SELECT digest FROM chunks WHERE run_id = $1 AND sequence = $2`, r.id, c.Sequence).Scan(&digest)
	switch {
	case err == nil:
		return r.CheckRepeated(c, decode(digest))
	case !errors.Is(err, pgx.ErrNoRows):
		return err
	}
	if err := r.CheckOpen(); err != nil {
		return err
	}
	return insertChunk(ctx, tx, r.id, c)
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
		SET bytes = bytes + $2, stored = stored + $3, lines = lines + $4, text_bytes = text_bytes + $5,
			output_at = greatest(output_at, $6)
		WHERE id = $1`, run, c.Bytes, c.Stored, c.Lines, store.ChunkRow, timeOf(c.At))
	return err
}

// cutLog removes the chunks of a run whose sequence number is the parameter from or larger. The run's counts go down.
func cutLog(ctx context.Context, tx pgx.Tx, run int64, from int) error {
	_, err := tx.Exec(ctx, `
		WITH cut AS (
			DELETE FROM chunks
			WHERE run_id = $1 AND sequence >= $2
			RETURNING key, bytes, stored, lines
		), kept AS (
			INSERT INTO garbage (key)
			SELECT key
			FROM cut
			ON CONFLICT DO NOTHING
		)
		UPDATE runs
		SET bytes = runs.bytes - c.bytes, stored = runs.stored - c.stored, lines = runs.lines - c.lines,
			text_bytes = text_bytes - c.rows * $3
		FROM (
			SELECT coalesce(sum(bytes), 0) AS bytes, coalesce(sum(stored), 0) AS stored, coalesce(sum(lines), 0) AS lines,
				count(*) AS rows
			FROM cut
		) AS c
		WHERE id = $1`, run, from, store.ChunkRow)
	return err
}
