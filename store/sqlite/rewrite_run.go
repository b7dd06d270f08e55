package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/blq-ci/blq/store"
)

// RewriteRun implements store.Store. It leaves no old content in the database file.
func (s *Store) RewriteRun(ctx context.Context, w store.Rewriting) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `PRAGMA secure_delete = ON`); err != nil {
			return err
		}
		r, err := mustFind(ctx, tx, w.Run.Attempt)
		if err != nil {
			return err
		}
		if err := rewriteFacts(ctx, tx, r.id, w.Run); err != nil {
			return err
		}
		if err := rewriteSource(ctx, tx, r, w.Run.Source); err != nil {
			return err
		}
		for _, t := range w.Tests {
			if err := rewriteTest(ctx, tx, t); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, `
			UPDATE runs
			SET files = ?1, text_bytes = text_bytes + octet_length(?1) - octet_length(files) + ?2
			WHERE id = ?3`, w.Files.Text(), w.Run.TextBytes()-r.TextBytes(), r.id); err != nil {
			return err
		}
		for _, e := range w.Events {
			if err := rewriteEvent(ctx, tx, r.id, e); err != nil {
				return err
			}
		}
		for _, c := range w.Chunks {
			if err := rewriteChunk(ctx, tx, r.id, c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("rewrite run: %w", err)
	}
	_, err = s.writer.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`) // the write-ahead log also has the old text
	return err
}

func rewriteFacts(ctx context.Context, tx *sql.Tx, run int64, r store.Run) error {
	var ci any
	if r.CI != nil {
		text, err := json.Marshal(r.CI)
		if err != nil {
			return fmt.Errorf("write ci: %w", err)
		}
		ci = string(text)
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE runs
		SET command = ?, cwd = ?, hostname = ?, git_branch = ?, git_root = ?, ci = ?, leg = ?, shape = ?, step = ?
		WHERE id = ?`,
		r.Command, r.Cwd, r.Hostname, r.Git.Branch, r.Git.Root, ci, r.Leg(), r.Shape, r.Step().Key(), run)
	return err
}

// rewriteSource gives a run another source. The name of the old source stays only if another run has it.
func rewriteSource(ctx context.Context, tx *sql.Tx, r row, name string) error {
	if name == r.Source {
		return nil
	}
	var source int64
	err := tx.QueryRowContext(ctx, `
		INSERT INTO sources (repo, name) VALUES (?, ?)
		ON CONFLICT (repo, name) DO UPDATE SET name = name
		RETURNING id`, r.Repo, name).Scan(&source)
	if err != nil {
		return err
	}
	for _, q := range []string{
		`UPDATE runs SET source = ?1, source_id = ?2 WHERE id = ?3`,
		`UPDATE events SET source_id = ?2 WHERE run_id = ?3 AND ?1 != ''`,
		`DELETE FROM sources WHERE repo = ?4 AND name = ?5 AND ?1 != '' AND id NOT IN (SELECT source_id FROM runs)`,
	} {
		if _, err := tx.ExecContext(ctx, q, name, source, r.id, r.Repo, r.Source); err != nil {
			return err
		}
	}
	return nil
}

// rewriteTest changes the name and the file of a test. The key of a test is a digest of its name and file, so the key
// changes, too. If another test already has the new key, the key becomes a random number, and the two tests stay apart.
func rewriteTest(ctx context.Context, tx *sql.Tx, t store.Test) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE tests
		SET name = ?2, file = ?3,
		    key = iif(EXISTS (SELECT 1 FROM tests o WHERE o.repo = tests.repo AND o.key = ?4), random() >> 1, ?4)
		WHERE id = ?1`, t.ID, t.Name, t.File, t.Key())
	return err
}

func rewriteEvent(ctx context.Context, tx *sql.Tx, run int64, e store.Event) error {
	fingerprint, pattern := e.Hashes()
	_, err := tx.ExecContext(ctx, `
		UPDATE runs
		SET text_bytes = text_bytes + ?1 - (
			SELECT octet_length(message) + octet_length(file) + octet_length(test) + octet_length(code)
			FROM events
			WHERE run_id = ?2 AND id = ?3
		)
		WHERE id = ?2`, len(e.Message)+len(e.File)+len(e.Test)+len(e.Code), run, e.ID)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE events
		SET message = ?, file = ?, test = ?, code = ?, fingerprint = ?, pattern = ?
		WHERE run_id = ? AND id = ?`, e.Message, e.File, e.Test, e.Code, fingerprint, pattern, run, e.ID)
	return err
}

func rewriteChunk(ctx context.Context, tx *sql.Tx, run int64, c store.Chunk) error {
	for _, q := range []string{
		`INSERT OR IGNORE INTO garbage (key) SELECT key FROM chunks WHERE run_id = ?1 AND sequence = ?2 AND key != ?5`,
		`UPDATE runs
		SET stored = stored + ?3 - (SELECT stored FROM chunks WHERE run_id = ?1 AND sequence = ?2)
		WHERE id = ?1`,
		`UPDATE chunks SET stored = ?3, digest = ?4, key = ?5 WHERE run_id = ?1 AND sequence = ?2`,
	} {
		if _, err := tx.ExecContext(ctx, q, run, c.Sequence, c.Stored, c.Digest, c.Key); err != nil {
			return err
		}
	}
	return nil
}
