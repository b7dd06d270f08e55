package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// RewriteRun implements store.Store.
func (s *Store) RewriteRun(ctx context.Context, w store.Rewriting) error {
	err := s.write(ctx, func(tx pgx.Tx) error {
		r, err := lockRun(ctx, tx, w.Run.Attempt)
		if err != nil {
			return err
		}
		if err := rewriteFacts(ctx, tx, r, w); err != nil {
			return err
		}
		if err := rewriteSource(ctx, tx, r, w.Run.Source); err != nil {
			return err
		}
		if err := rewriteEvents(ctx, tx, r, w.Events); err != nil {
			return err
		}
		for _, t := range w.Tests {
			if err := rewriteTest(ctx, tx, t); err != nil {
				return err
			}
		}
		for _, c := range w.Chunks {
			if err := rewriteChunk(ctx, tx, r, c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("rewrite run: %w", err)
	}
	return nil
}

func rewriteFacts(ctx context.Context, tx pgx.Tx, r row, w store.Rewriting) error {
	var ci *string
	if w.Run.CI != nil {
		b, err := json.Marshal(w.Run.CI)
		if err != nil {
			return fmt.Errorf("write ci: %w", err)
		}
		text := encode(string(b))
		ci = &text
	}
	_, err := tx.Exec(ctx, `
		UPDATE runs
		SET command = $2, cwd = $3, hostname = $4, git_branch = $5, git_root = $6, ci = $7, leg = $8, shape = $9,
			step = $10, files = $11, text_bytes = text_bytes + $12 - octet_length(files) + octet_length($11::text)
		WHERE id = $1`,
		r.id, encode(w.Run.Command), encode(w.Run.Cwd), encode(w.Run.Hostname), encode(w.Run.Git.Branch),
		encode(w.Run.Git.Root), ci, legHash(w.Run.Leg()), encode(w.Run.Shape), w.Run.Step().Key(),
		encode(w.Files.Text()), w.Run.TextBytes()-r.TextBytes())
	return err
}

// rewriteSource gives a run another source. The name of the old source stays only if another run has it.
func rewriteSource(ctx context.Context, tx pgx.Tx, r row, name string) error {
	if name == r.Source {
		return nil
	}
	if _, err := tx.Exec(ctx, `SELECT 1 FROM repos WHERE name = $1 FOR UPDATE`, encode(r.Repo)); err != nil {
		return err
	}
	source, err := sourceID(ctx, tx, r.Repo, name)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE runs SET source = $2, source_id = $3 WHERE id = $1`, r.id, encode(name),
		source); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE events SET source_id = $2 WHERE run_id = $1`, r.id, source); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		DELETE FROM sources WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM runs WHERE source_id = $1)`, r.source)
	return err
}

// rewriteEvents changes the texts of events with one statement.
func rewriteEvents(ctx context.Context, tx pgx.Tx, r row, events []store.Event) error {
	if len(events) == 0 {
		return nil
	}
	var ids []int32
	var messages, files, tests, codes []string
	var fingerprints, patterns []int64
	for _, e := range events {
		fingerprint, pattern := e.Hashes()
		ids = append(ids, int32(e.ID))
		fingerprints, patterns = append(fingerprints, fingerprint), append(patterns, pattern)
		messages, files = append(messages, encode(e.Message)), append(files, encode(e.File))
		tests, codes = append(tests, encode(e.Test)), append(codes, encode(e.Code))
	}
	_, err := tx.Exec(ctx, `
		WITH new AS (
			SELECT *
			FROM unnest($2::integer[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[])
				AS n (id, message, file, test, code, fingerprint, pattern)
		), size AS (
			SELECT coalesce(sum(
				octet_length(n.message) + octet_length(n.file) + octet_length(n.test) + octet_length(n.code)
				- octet_length(e.message) - octet_length(e.file) - octet_length(e.test) - octet_length(e.code)
			), 0) AS more
			FROM events e JOIN new n ON n.id = e.id
			WHERE e.run_id = $1
		), changed AS (
			UPDATE events e
			SET message = n.message, file = n.file, test = n.test, code = n.code, fingerprint = n.fingerprint,
				pattern = n.pattern
			FROM new n
			WHERE e.run_id = $1 AND e.id = n.id
		)
		UPDATE runs SET text_bytes = text_bytes + size.more FROM size WHERE runs.id = $1`,
		r.id, ids, messages, files, tests, codes, fingerprints, patterns)
	return err
}

// rewriteTest changes the name and the file of a test. The key of a test is a digest of its name and file, so the key
// changes, too. If another test already has the new key, the key becomes a random number, and the two tests stay apart.
func rewriteTest(ctx context.Context, tx pgx.Tx, t store.Test) error {
	_, err := tx.Exec(ctx, `
		UPDATE tests
		SET name = $2, file = $3,
			key = CASE
				WHEN EXISTS (SELECT 1 FROM tests o WHERE o.repo = tests.repo AND o.key = $4)
				THEN (random() * 9223372036854774784)::bigint
				ELSE $4
			END
		WHERE id = $1`, t.ID, encode(t.Name), encode(t.File), t.Key())
	return err
}

// rewriteChunk gives a chunk another object. The old object becomes garbage.
func rewriteChunk(ctx context.Context, tx pgx.Tx, r row, c store.Chunk) error {
	_, err := tx.Exec(ctx, `
		WITH old AS (
			SELECT key, stored FROM chunks WHERE run_id = $1 AND sequence = $2
		), kept AS (
			INSERT INTO garbage (key) SELECT key FROM old WHERE key <> $5 ON CONFLICT DO NOTHING
		), changed AS (
			UPDATE chunks SET stored = $3, digest = $4, key = $5 WHERE run_id = $1 AND sequence = $2
		)
		UPDATE runs SET stored = runs.stored + $3 - old.stored FROM old WHERE id = $1`,
		r.id, c.Sequence, c.Stored, encode(c.Digest), encode(c.Key))
	return err
}
