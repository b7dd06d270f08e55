package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/internal/step"
	"github.com/blq-ci/blq/store"
)

const runColumns = markedColumns + `, r.output_at, r.undated`

// markedColumns lists the columns of runs that markRuns reads.
const markedColumns = store.RunSQL + `, r.events, r.source_id, r.live_from`

// row is a run with its IDs in the database.
type row struct {
	store.Run
	id     int64
	events int
	source int32
	live   int // number of the first live event, 0 for none
}

func scanRun(scan func(...any) error) (row, error) {
	var r row
	var state, reason string
	var started, opened, heartbeat, finished, output *time.Time
	var ci *string
	err := scan(&r.id, &r.Attempt, &r.Repo, &r.Serial, &r.Source,
		&r.Command, &r.Cwd, &started, &r.Hostname, &r.Platform, &r.Arch,
		&r.Git.Commit, &r.Git.Branch, &r.Git.Dirty, &r.Git.Root, &ci, &r.Format, &r.Shape,
		&state, &opened, &heartbeat, &finished, &r.ExitCode, &r.Signal, &reason, &r.Lost,
		&r.Errors, &r.Warnings, &r.Bytes, &r.Lines, &r.events, &r.source, &r.live, &output, &r.Undated)
	if err != nil {
		return row{}, err
	}
	decodeAll(&r.Attempt, &r.Repo, &r.Source, &r.Command, &r.Cwd, &r.Hostname, &r.Platform, &r.Arch,
		&r.Git.Commit, &r.Git.Branch, &r.Git.Root, &r.Format, &r.Shape, &r.Signal, &reason, &r.Lost)
	r.State, r.Reason = store.State(state), store.Reason(reason)
	r.StartedAt, r.OpenedAt, r.HeartbeatAt, r.FinishedAt = fromTime(started), fromTime(opened), fromTime(heartbeat),
		fromTime(finished)
	r.OutputAt = fromTime(output)
	if ci != nil {
		if err := json.Unmarshal([]byte(decode(*ci)), &r.CI); err != nil {
			return row{}, fmt.Errorf("read ci of run %s: %w", r.Ref(), err)
		}
	}
	step.Fill(&r.Run)
	return r, nil
}

// timeOf returns a time as the database stores it, or nil for the zero time.
func timeOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func fromTime(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// byAttempt returns the run of an attempt. The error is pgx.ErrNoRows if there is no such run. lock is added at the end
// of the query, and may lock the row.
func byAttempt(ctx context.Context, db querier, attempt, lock string) (row, error) {
	return scanRun(db.QueryRow(ctx, `
		SELECT `+runColumns+`
		FROM runs r
		WHERE r.attempt = $1 `+lock, encode(attempt)).Scan)
}

// lockRun returns the run of an attempt, and locks it until the transaction ends. NotFound: there is no such run.
func lockRun(ctx context.Context, tx pgx.Tx, attempt string) (row, error) {
	r, err := byAttempt(ctx, tx, attempt, "FOR NO KEY UPDATE")
	if errors.Is(err, pgx.ErrNoRows) {
		var gone bool
		if gone, err = isPruned(ctx, tx, attempt); err == nil {
			err = store.NoAttempt(attempt, gone)
		}
	}
	return r, err
}

func isPruned(ctx context.Context, db querier, attempt string) (bool, error) {
	var gone bool
	err := db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pruned WHERE attempt = $1)`, encode(attempt)).Scan(&gone)
	return gone, err
}
