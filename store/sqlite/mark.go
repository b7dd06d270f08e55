package sqlite

import (
	"context"
	"database/sql"

	"github.com/blq-ci/blq/store"
)

// markSteps is the number of the migration that stores the steps of existing runs. A step is computed from the run's
// command, which SQL cannot do.
const markSteps = 8

func markRuns(ctx context.Context, tx *sql.Tx) error {
	rows, err := query(ctx, tx, scanRun, `
		SELECT `+store.RunSQL+`, 0, 0
		FROM runs r
		WHERE r.step = ''`)
	if err != nil {
		return err
	}
	update, err := tx.PrepareContext(ctx, `UPDATE runs SET shape = ?, step = ? WHERE id = ?`)
	if err != nil {
		return err
	}
	defer update.Close()
	for _, r := range rows {
		if _, err := update.ExecContext(ctx, r.Shape, r.Step().Key(), r.id); err != nil {
			return err
		}
	}
	return nil
}
