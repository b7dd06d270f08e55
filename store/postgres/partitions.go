package postgres

import (
	"context"
	"fmt"

	"github.com/blq-ci/blq/store"
	"github.com/jackc/pgx/v5"
)

// monthBits is the number of low bits of a run's ID. The bits above them are the number of the month in which the run
// started. So the events of a month have a range of run IDs, and form one partition.
const monthBits = 40

// ahead is the number of coming months that have partitions.
const ahead = 2

// maintenance is the key of the advisory lock for creating and dropping partitions.
const maintenance = 0x626c71

// month counts months since the year 0.
type month int64

func monthOf(run int64) month { return month(run >> monthBits) }

// first returns the lowest id of the month.
func (m month) first() int64 { return int64(m) << monthBits }

// table returns the name of the month's partition.
func (m month) table() string { return fmt.Sprintf("events_%04d_%02d", m/12, m%12+1) }

// Maintain creates the partitions of the coming months. It drops partitions of earlier months if they have no runs. At
// least one replica should call it regularly. If no replica calls it, writers create missing partitions.
func (s *Store) Maintain(ctx context.Context) error {
	now, err := s.now(ctx)
	if err != nil {
		return fmt.Errorf("maintain partitions: %w", err)
	}
	for m := now; m <= now+ahead; m++ {
		if err := s.partition(ctx, m); err != nil {
			return fmt.Errorf("make partition %s: %w", m.table(), err)
		}
	}
	if err := s.dropEmpty(ctx, now); err != nil {
		return fmt.Errorf("drop partitions: %w", err)
	}
	return nil
}

// PartitionsAhead returns the number of coming months that have partitions.
func (s *Store) PartitionsAhead(ctx context.Context) (int, error) {
	now, err := s.now(ctx)
	if err != nil {
		return 0, err
	}
	var n int
	err = s.pool.QueryRow(ctx, `
		SELECT count(*)
		FROM pg_inherits i
		JOIN pg_class c ON c.oid = i.inhrelid
		WHERE i.inhparent = 'events'::regclass AND c.relname > $1`, now.table()).Scan(&n)
	return n, failure(ctx, err)
}

func (s *Store) now(ctx context.Context) (month, error) {
	var m month
	err := s.pool.QueryRow(ctx, `SELECT month_now()`).Scan(&m)
	return m, failure(ctx, err)
}

// partition creates the month's partition if the partition does not exist. It creates a table and attaches it. This
// does not block readers and writers of other months.
func (s *Store) partition(ctx context.Context, m month) error {
	return s.write(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, maintenance); err != nil {
			return err
		}
		var there bool
		if err := tx.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, m.table()).Scan(&there); err != nil || there {
			return err
		}
		if _, err := tx.Exec(ctx, `CREATE TABLE `+m.table()+` (LIKE events)`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, fmt.Sprintf(`ALTER TABLE events ATTACH PARTITION %s FOR VALUES FROM (%d) TO (%d)`, m.table(),
			m.first(), (m+1).first()))
		return err
	})
}

// dropEmpty drops the partitions of earlier months that no longer have runs.
func (s *Store) dropEmpty(ctx context.Context, now month) error {
	names, err := query(ctx, s.pool, store.ScanOne[string], `
		SELECT c.relname
		FROM pg_inherits i
		JOIN pg_class c ON c.oid = i.inhrelid
		WHERE i.inhparent = 'events'::regclass
		ORDER BY c.relname`)
	if err != nil {
		return failure(ctx, err)
	}
	for _, name := range names {
		var year, number int64
		if _, err := fmt.Sscanf(name, "events_%d_%d", &year, &number); err != nil {
			continue // the table is not the partition of a month
		}
		m := month(12*year + number - 1)
		if m >= now {
			continue
		}
		err := s.write(ctx, func(tx pgx.Tx) error {
			_, err := dropIfEmpty(ctx, tx, m)
			return err
		})
		if err != nil && !lockNotFree(err) { // the next call tries again
			return err
		}
	}
	return nil
}

// dropIfEmpty drops a month's partition if the month has no runs. It reports whether it dropped the partition. It
// blocks all other users of the events. So it must be the last step of a transaction, and it gives up after a short
// wait: see lockNotFree. Two sessions that drop the same partition at once get an error of the catalogue from
// PostgreSQL, so the partitions are dropped one at a time.
func dropIfEmpty(ctx context.Context, tx pgx.Tx, m month) (bool, error) {
	var used bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM runs WHERE id >= $1 AND id < $2)`, m.first(),
		(m + 1).first()).Scan(&used)
	if err != nil || used {
		return false, err
	}
	for _, q := range []string{
		`SET LOCAL lock_timeout = '2s'`,
		fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, maintenance),
		`DROP TABLE IF EXISTS ` + m.table(),
	} {
		if _, err := tx.Exec(ctx, q); err != nil {
			return false, err
		}
	}
	return true, nil
}

// lockNotFree reports whether a partition was not dropped because other transactions use the events or drop
// partitions.
func lockNotFree(err error) bool {
	state := stateOf(err)
	return state == lockTimeout || state == deadlock
}
