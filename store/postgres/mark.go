package postgres

import (
	"context"
	"database/sql"
	"math"
)

// markSteps is the number of the migration in which markRuns stores the steps of existing runs. This migration is in
// Go, because SQL cannot compute a step from the command of a run.
const markSteps = 7

// marksAtOnce is the max number of runs for which one statement stores the step.
const marksAtOnce = 1000

// markRuns stores the step of each existing run, newest run first. If it is interrupted, the next call continues with
// the remaining runs.
func (s *Store) markRuns(ctx context.Context, _ *sql.DB) error {
	for before := int64(math.MaxInt64); ; {
		rows, err := query(ctx, s.pool, scanRun, `
			SELECT `+markedColumns+`, NULL::timestamptz, false
			FROM runs r
			WHERE r.id < $1 AND r.step = ''
			ORDER BY r.id DESC
			LIMIT $2`, before, marksAtOnce)
		if err != nil || len(rows) == 0 {
			return err
		}
		var ids []int64
		var shapes, steps []string
		for _, r := range rows {
			ids, shapes, steps = append(ids, r.id), append(shapes, encode(r.Shape)), append(steps, r.Step().Key())
		}
		_, err = s.pool.Exec(ctx, `
			UPDATE runs r
			SET shape = n.shape, step = n.step
			FROM unnest($1::bigint[], $2::text[], $3::text[]) AS n (id, shape, step)
			WHERE r.id = n.id`, ids, shapes, steps)
		if err != nil {
			return err
		}
		before = ids[len(ids)-1]
	}
}
