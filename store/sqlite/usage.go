package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// The triggers of migration 10 update the counts in the table usage.

// Usage implements store.Store.
func (s *Store) Usage(ctx context.Context, repo string) (of, owner store.Usage, err error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return store.Usage{}, store.Usage{}, err
	}
	defer leave()
	rows, err := usages(ctx, db, `WHERE owner = ? AND repo IN ('/', ?)`, store.OwnerOf(repo), repo)
	if err != nil {
		return of, owner, fmt.Errorf("read usage: %w", err)
	}
	of, owner = store.PickUsage(repo, rows)
	return of, owner, nil
}

// Usages implements store.Store.
func (s *Store) Usages(ctx context.Context) ([]store.Usage, error) {
	rows, err := usages(ctx, s.reader, "")
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	return rows, nil
}

func usages(ctx context.Context, db querier, where string, args ...any) ([]store.Usage, error) {
	return query(ctx, db, scanUsage, `
		SELECT
			owner, repo, runs, events, bytes,
			iif(day >= unixepoch() / 86400, day_runs, 0), iif(day >= unixepoch() / 86400, day_events, 0),
			86400 - unixepoch() % 86400
		FROM usage
		`+where+`
		ORDER BY owner, repo <> '/', repo`, args...)
}

func scanUsage(scan func(...any) error) (store.Usage, error) {
	var u store.Usage
	var left int64
	err := scan(&u.Owner, &u.Repo, &u.Runs, &u.Events, &u.Bytes, &u.DayRuns, &u.DayEvents, &left)
	u.DayLeft = time.Duration(left) * time.Second
	return u, err
}

// Crowded implements store.Store.
func (s *Store) Crowded(ctx context.Context, repo string, max int) (bool, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	owner, _, _ := strings.Cut(repo, "/")
	var crowded bool
	// The names that begin with owner/ are between owner/ and owner0, because 0 sorts directly after /.
	err = db.QueryRowContext(ctx, `
		SELECT NOT EXISTS (SELECT 1 FROM repos WHERE name = ?1)
		   AND (SELECT count(*) FROM (SELECT 1 FROM repos WHERE name >= ?2 AND name < ?3 `+upTo(max)+`)) >= ?4`,
		repo, owner+"/", owner+"0", max).Scan(&crowded)
	if err != nil {
		return false, fmt.Errorf("count repositories: %w", busyError(err))
	}
	return crowded, nil
}

// Recount implements store.Store.
func (s *Store) Recount(ctx context.Context, part, parts int) (int, error) {
	corrected := 0
	err := s.write(ctx, func(tx *sql.Tx) error {
		corrected = 0
		want, err := counted(ctx, tx)
		if err != nil {
			return err
		}
		have, err := usages(ctx, tx, "")
		if err != nil {
			return err
		}
		for _, u := range have {
			if _, known := want[u.Owner+" "+u.Repo]; !known {
				want[u.Owner+" "+u.Repo] = store.Usage{Owner: u.Owner, Repo: u.Repo}
			}
		}
		for _, u := range want {
			if !u.IsOwner() && store.Part(u.Repo, parts) != part {
				continue
			}
			done, err := correct(ctx, tx, u)
			if err != nil {
				return err
			}
			corrected += done
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("recount usage: %w", err)
	}
	return corrected, nil
}

// counted computes the usage of repositories and owners from the stored runs, facts and jobs of the queue. A key of the
// map is the owner, a space and the repository.
func counted(ctx context.Context, tx *sql.Tx) (map[string]store.Usage, error) {
	rows, err := query(ctx, tx, func(scan func(...any) error) (store.Usage, error) {
		var u store.Usage
		err := scan(&u.Owner, &u.Repo, &u.Runs, &u.Events, &u.Bytes)
		return u, err
	}, `
		SELECT owner, repo, sum(runs), sum(events), sum(bytes)
		FROM (
			SELECT owner, repo, 1 AS runs, events, bytes FROM run_sizes
			UNION ALL
			SELECT owner, repo, 0, 0, bytes FROM fact_sizes
		)
		GROUP BY owner, repo`)
	if err != nil {
		return nil, err
	}
	sums := map[string]store.Usage{}
	for _, u := range rows {
		sums[u.Owner+" "+u.Repo] = u
		all := sums[u.Owner+" "+store.AllRepos]
		sums[u.Owner+" "+store.AllRepos] = store.Usage{Owner: u.Owner, Repo: store.AllRepos, Runs: all.Runs + u.Runs,
			Events: all.Events + u.Events, Bytes: all.Bytes + u.Bytes}
	}
	return sums, countWork(ctx, tx, sums)
}

// countWork adds the sizes of jobs of the queue to the sums of owners.
func countWork(ctx context.Context, tx *sql.Tx, sums map[string]store.Usage) error {
	rows, err := query(ctx, tx, func(scan func(...any) error) (u store.Usage, err error) {
		err = scan(&u.Owner, &u.Bytes)
		return u, err
	}, `SELECT owner, sum(bytes) FROM work_sizes GROUP BY owner`)
	for _, u := range rows {
		all := sums[u.Owner+" "+store.AllRepos]
		all.Owner, all.Repo, all.Bytes = u.Owner, store.AllRepos, all.Bytes+u.Bytes
		sums[u.Owner+" "+store.AllRepos] = all
	}
	return err
}

// correct sets the counts of a repository or owner. It returns 1 if the stored counts were wrong, and 0 if they were
// right.
func correct(ctx context.Context, tx *sql.Tx, u store.Usage) (int, error) {
	res, err := tx.ExecContext(ctx, `
		INSERT INTO usage (owner, repo, day, day_runs, day_events, runs, events, bytes)
		VALUES (?, ?, 0, 0, 0, ?, ?, ?)
		ON CONFLICT (owner, repo) DO UPDATE
		SET runs = excluded.runs, events = excluded.events, bytes = excluded.bytes
		WHERE (runs, events, bytes) <> (excluded.runs, excluded.events, excluded.bytes)`,
		u.Owner, u.Repo, u.Runs, u.Events, u.Bytes)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// Shrink implements store.Store.
func (s *Store) Shrink(ctx context.Context, of store.Usage, bytes int64) (store.Pruned, error) {
	var total store.Pruned
	var pending int64
	err := s.shrinkWork(ctx, of, bytes, &total)
	if err == nil {
		pending, err = s.shrinkFacts(ctx, of, bytes, &total)
	}
	if err == nil {
		err = s.shrink(ctx, of, bytes+pending, &total)
	}
	if err != nil {
		return total, fmt.Errorf("remove the oldest runs of %s: %w", of.Name(), err)
	}
	return total, nil
}

// shrinkWork removes the oldest dead jobs of an owner.
func (s *Store) shrinkWork(ctx context.Context, of store.Usage, bytes int64, total *store.Pruned) error {
	if !of.IsOwner() {
		return nil
	}
	n := int64(0)
	err := s.write(ctx, func(tx *sql.Tx) error {
		rows, err := usages(ctx, tx, `WHERE owner = ? AND repo = ?`, of.Owner, of.Repo)
		if err != nil || len(rows) == 0 {
			return err
		}
		res, err := tx.ExecContext(ctx, `
			DELETE FROM queue
			WHERE id IN (
				SELECT id
				FROM (
					SELECT id, sum(bytes) OVER (ORDER BY ended_at, id) - bytes AS before
					FROM work_sizes
					WHERE owner = ? AND state = 'dead')
				WHERE before < ?)`, of.Owner, rows[0].Bytes-bytes)
		if err == nil {
			n, err = res.RowsAffected()
		}
		return err
	})
	total.Jobs += int(n)
	return err
}

func (s *Store) shrink(ctx context.Context, of store.Usage, bytes int64, total *store.Pruned) error {
	for after := int64(0); ; {
		list, err := s.oldest(ctx, of, after)
		if err != nil || len(list) == 0 {
			return err
		}
		// The bytes are counted after the list is made. In between, another process may have removed runs of the list.
		rows, err := usages(ctx, s.reader, `WHERE owner = ? AND repo = ?`, of.Owner, of.Repo)
		if err != nil || len(rows) == 0 || rows[0].Bytes <= bytes {
			return err
		}
		list = store.Oldest(list, rows[0].Bytes-bytes)
		if err := s.removeAll(ctx, list, total); err != nil {
			return err
		}
		after = list[len(list)-1].ID
	}
}

// oldest returns runs of the repositories of a usage, oldest first, at most runsAtOnce. It returns only ended runs
// whose ID is higher than the parameter after.
func (s *Store) oldest(ctx context.Context, of store.Usage, after int64) ([]store.Candidate, error) {
	return query(ctx, s.reader, func(scan func(...any) error) (store.Candidate, error) {
		var c store.Candidate
		err := scan(&c.ID, &c.Events, &c.Size)
		return c, err
	}, `
		SELECT r.id, r.events, z.bytes
		FROM runs r
		JOIN run_sizes z ON z.id = r.id
		WHERE r.id > ? AND r.state <> 'running'
		  AND r.repo IN (SELECT repo FROM usage WHERE owner = ? AND repo <> '/' AND ? IN ('/', repo))
		ORDER BY r.id
		`+upTo(runsAtOnce), after, of.Owner, of.Repo)
}

// reposOf is an SQL query for the repositories of a usage: one repository, or all repositories of an owner. Its
// parameters are the owner and the name in the usage.
const reposOf = `SELECT u.repo FROM usage u WHERE u.owner = ? AND u.repo <> '/' AND ? IN ('/', u.repo)`

// shrinkFacts removes facts of a repository or an owner that stores more than the given number of bytes. First it
// removes versions of sources, and then the oldest snapshots. It keeps sources and snapshots that are within their
// shares of the limit. It returns the number of bytes that maintenance frees later.
func (s *Store) shrinkFacts(ctx context.Context, of store.Usage, bytes int64, total *store.Pruned) (int64, error) {
	var over, pending int64
	var dropped, removed int
	err := s.write(ctx, func(tx *sql.Tx) error {
		rows, err := usages(ctx, tx, `WHERE owner = ? AND repo = ?`, of.Owner, of.Repo)
		if err != nil || len(rows) == 0 {
			return err
		}
		if over = rows[0].Bytes - bytes; over <= 0 {
			return nil
		}
		sources, freed, err := shrinkSources(ctx, tx, of, over, bytes)
		if err != nil {
			return err
		}
		removed = sources
		if over -= freed; over <= 0 {
			return nil
		}
		share, err := factShare(ctx, tx, of)
		if err != nil {
			return err
		}
		if excess := share.Excess(over, bytes); excess > 0 {
			if dropped, err = dropOldest(ctx, tx, of, excess); err != nil {
				return err
			}
			share, err = factShare(ctx, tx, of)
		}
		pending = share.Pending(over, bytes)
		return err
	})
	if err == nil {
		total.Snapshots += dropped
		total.Sources += removed
	}
	return pending, err
}

// shrinkSources removes versions of sources if the sources take too much space. n is the number of removed versions,
// and freed is their size in bytes.
func shrinkSources(ctx context.Context, tx *sql.Tx, of store.Usage, over, bytes int64) (n int, freed int64, err error) {
	var all int64
	const sum = `SELECT coalesce(sum(size + ?), 0) FROM doc_sources WHERE repo IN (` + reposOf + `)`
	if err := tx.QueryRowContext(ctx, sum, store.ObjectRow, of.Owner, of.Repo).Scan(&all); err != nil {
		return 0, 0, err
	}
	excess := store.SourceExcess(over, all, bytes)
	if excess == 0 {
		return 0, 0, nil
	}
	n, err = dropSources(ctx, tx, `id IN (
		SELECT id
		FROM (
			SELECT id, sum(size + ?) OVER (ORDER BY newest, id) - size - ? AS before
			FROM (
				SELECT id, size, row_number() OVER (PARTITION BY repo, alias ORDER BY id DESC) = 1 AS newest
				FROM doc_sources
				WHERE repo IN (`+reposOf+`)))
		WHERE before < ?)`, store.ObjectRow, store.ObjectRow, of.Owner, of.Repo, excess)
	if err != nil {
		return 0, 0, err
	}
	var left int64
	err = tx.QueryRowContext(ctx, sum, store.ObjectRow, of.Owner, of.Repo).Scan(&left)
	return n, all - left, err
}

func factShare(ctx context.Context, tx *sql.Tx, of store.Usage) (f store.FactShare, err error) {
	err = tx.QueryRowContext(ctx, `
		WITH o AS (SELECT * FROM fact_objects WHERE repo IN (`+reposOf+`))
		SELECT
			(SELECT coalesce(sum(size + ?3), 0) FROM o),
			(SELECT count(DISTINCT s.repo || ' ' || s.manifest) FROM snapshots s WHERE s.repo IN (SELECT repo FROM o)),
			(SELECT count(*) FROM o WHERE used = 0 AND asked_at < ?4)`,
		of.Owner, of.Repo, store.ObjectRow, micros(store.Stale(time.Now()))).Scan(&f.Bytes, &f.Manifests, &f.Dropped)
	return f, err
}

// dropOldest removes the snapshots of the n oldest manifests, and returns the number of removed snapshots. It keeps the
// snapshots at branches and tags, and the newest snapshots of the default branch.
func dropOldest(ctx context.Context, tx *sql.Tx, of store.Usage, n int) (int, error) {
	list, err := query(ctx, tx, store.ScanOne[int], `
		WITH free AS (
			SELECT s.id, s.repo, s.manifest
			FROM snapshots s
			WHERE s.repo IN (`+reposOf+`) AND s.id NOT IN (`+newestSnapshots+`)
			  AND s.commit_hash NOT IN (
				SELECT n.commit_hash FROM commit_names n WHERE n.repo = s.repo AND (`+store.HeadsSQL+`))
		), oldest AS (
			SELECT f.repo, f.manifest FROM free f GROUP BY f.repo, f.manifest ORDER BY max(f.id) `+upTo(n)+`
		)
		SELECT f.id FROM free f JOIN oldest o ON o.repo = f.repo AND o.manifest = f.manifest`, of.Owner, of.Repo)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return len(list), dropSnapshots(ctx, tx, `s.id IN (SELECT value FROM json_each(?))`, numbers(list))
}
