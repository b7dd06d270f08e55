package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/internal/step"
	"github.com/blq-ci/blq/store"
)

// maxName is the max length of a name in an index.
const maxName = 1000

// StartRun implements store.Store.
func (s *Store) StartRun(ctx context.Context, r store.Run) (store.Run, error) {
	r, err := r.Checked()
	if err == nil {
		err = checkLengths(r)
	}
	if err != nil {
		return store.Run{}, err
	}
	step.Fill(&r)
	var started row
	err = s.write(ctx, func(tx pgx.Tx) error {
		var err error
		started, err = byAttempt(ctx, tx, r.Attempt, "")
		if errors.Is(err, pgx.ErrNoRows) {
			started, err = insertRun(ctx, tx, r)
		}
		if err != nil {
			return err
		}
		return r.CheckSame(started.Run)
	})
	if stateOf(err) == uniqueViolation { // another call has started the same run
		started.Run, err = s.existing(ctx, r)
	}
	if err != nil {
		return store.Run{}, fmt.Errorf("start run: %w", failure(ctx, err))
	}
	return started.Run, nil
}

// checkLengths checks that the names of a run fit into their indexes. Invalid: a name is too long.
func checkLengths(r store.Run) error {
	for what, name := range map[string]string{"attempt ID": r.Attempt, "repository": r.Repo, "branch": r.Git.Branch,
		"commit": r.Git.Commit} {
		if len(encode(name)) > maxName {
			return store.Errorf(store.Invalid, "the run's %s is longer than %d bytes", what, maxName)
		}
	}
	return nil
}

// existing returns the stored run of the same attempt, which another call has started.
func (s *Store) existing(ctx context.Context, r store.Run) (store.Run, error) {
	started, err := byAttempt(ctx, s.pool, r.Attempt, "")
	if err != nil {
		return store.Run{}, err
	}
	return started.Run, r.CheckSame(started.Run)
}

// insertRun stores a run with the next serial of its repository. It locks the row of the repository. So of two calls at
// the same time, the second call waits, and gets the higher serial and ID.
func insertRun(ctx context.Context, tx pgx.Tx, r store.Run) (row, error) {
	var serial int
	err := tx.QueryRow(ctx, `
		INSERT INTO repos AS r (name, last_serial) VALUES ($1, 1)
		ON CONFLICT (name) DO UPDATE SET last_serial = r.last_serial + 1
		RETURNING last_serial`, encode(r.Repo)).Scan(&serial)
	if err != nil {
		return row{}, err
	}
	gone, err := isPruned(ctx, tx, r.Attempt)
	if err == nil {
		err = r.CheckNew(gone)
	}
	if err != nil {
		return row{}, err
	}
	source, err := sourceID(ctx, tx, r.Repo, r.Source)
	if err != nil {
		return row{}, err
	}
	var ci *string
	pr, fork := 0, false
	if r.CI != nil {
		b, err := json.Marshal(r.CI)
		if err != nil {
			return row{}, fmt.Errorf("write ci: %w", err)
		}
		text := encode(string(b))
		ci, pr, fork = &text, r.CI.PR, r.CI.Fork
	}
	return scanRun(tx.QueryRow(ctx, `
		INSERT INTO runs AS r (
			attempt, repo, serial, source_id, source,
			command, cwd, started_at, hostname, platform, arch,
			git_commit, git_branch, git_dirty, git_root, ci, fork, pr, leg, shape, step, format, state, opened_at, heartbeat_at,
			undated, text_bytes
		) VALUES (
			$1, $2, $3, $4, $5,
			$6, $7, $8, $9, $10, $11,
			$12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, 'running', $23, $24,
			$25, $26
		)
		RETURNING `+runColumns,
		encode(r.Attempt), encode(r.Repo), serial, source, encode(r.Source),
		encode(r.Command), encode(r.Cwd), timeOf(r.StartedAt), encode(r.Hostname), encode(r.Platform), encode(r.Arch),
		encode(r.Git.Commit), encode(r.Git.Branch), r.Git.Dirty, encode(r.Git.Root), ci, fork, pr, legHash(r.Leg()),
		encode(r.Shape), r.Step().Key(), encode(r.Format),
		timeOf(r.OpenedAt), timeOf(r.HeartbeatAt), r.Undated, r.TextBytes()).Scan)
}

// sourceID returns the ID of a source. If the source is not stored yet, sourceID stores it. The caller must have locked
// the row of the repository.
func sourceID(ctx context.Context, tx pgx.Tx, repo, name string) (int32, error) {
	var id int32
	err := tx.QueryRow(ctx, `SELECT id FROM sources WHERE repo = $1 AND name = $2`, encode(repo), encode(name)).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		err = tx.QueryRow(ctx, `INSERT INTO sources (repo, name) VALUES ($1, $2) RETURNING id`, encode(repo),
			encode(name)).Scan(&id)
	}
	return id, err
}

// legHash returns the hash of a matrix leg. The column leg holds the hash, because a leg can be too long for an index.
func legHash(leg string) int64 {
	if leg == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(leg))
	return int64(binary.BigEndian.Uint64(sum[:8]) | 1)
}
