package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// The triggers of migration 9 update the counts in the table usage.

// Usage implements store.Store.
func (s *Store) Usage(ctx context.Context, repo string) (of, owner store.Usage, err error) {
	rows, err := s.usages(ctx, `WHERE u.owner = $1 AND u.repo IN ('/', $2)`, store.OwnerOf(repo), encode(repo))
	if err != nil {
		return of, owner, err
	}
	of, owner = store.PickUsage(repo, rows)
	return of, owner, nil
}

// Usages implements store.Store.
func (s *Store) Usages(ctx context.Context) ([]store.Usage, error) { return s.usages(ctx, "") }

func (s *Store) usages(ctx context.Context, where string, args ...any) ([]store.Usage, error) {
	rows, err := query(ctx, s.pool, scanUsage, `
		SELECT
			u.owner, u.repo, sum(u.runs)::bigint, sum(u.events)::bigint, sum(u.bytes)::bigint,
			coalesce(sum(u.day_runs) FILTER (WHERE u.day >= t.day), 0)::bigint,
			coalesce(sum(u.day_events) FILTER (WHERE u.day >= t.day), 0)::bigint,
			extract(epoch FROM (max(t.day) + 1)::timestamp - max(t.now))::double precision
		FROM usage u
		CROSS JOIN (SELECT usage_day() AS day, clock_timestamp() AT TIME ZONE 'UTC' AS now) t
		`+where+`
		GROUP BY u.owner, u.repo
		ORDER BY u.owner, u.repo <> '/', u.repo`, args...)
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", failure(ctx, err))
	}
	return rows, nil
}

func scanUsage(scan func(...any) error) (store.Usage, error) {
	var u store.Usage
	var left float64
	err := scan(&u.Owner, &u.Repo, &u.Runs, &u.Events, &u.Bytes, &u.DayRuns, &u.DayEvents, &left)
	decodeAll(&u.Owner, &u.Repo)
	u.DayLeft = time.Duration(left * float64(time.Second))
	return u, err
}

// Crowded implements store.Store.
func (s *Store) Crowded(ctx context.Context, repo string, max int) (bool, error) {
	owner, _, _ := strings.Cut(repo, "/")
	var crowded bool
	// The names that begin with owner/ are between owner/ and owner0, because 0 sorts directly after /.
	err := s.pool.QueryRow(ctx, `
		SELECT NOT EXISTS (SELECT 1 FROM repos WHERE name = $1)
		   AND (SELECT count(*) FROM (SELECT 1 FROM repos WHERE name >= $2 AND name < $3 LIMIT $4) AS n) >= $4`,
		encode(repo), encode(owner+"/"), encode(owner+"0"), max).Scan(&crowded)
	if err != nil {
		return false, fmt.Errorf("count repositories: %w", failure(ctx, err))
	}
	return crowded, nil
}

// recounting is the key of the advisory lock for corrections of usage.
const recounting = maintenance + 1

// reposAtOnce is the max number of repositories that one statement counts.
const reposAtOnce = 100

// Recount implements store.Store. A transaction that changes runs also changes their usage. So if a single statement
// finds a difference between runs and usage, the usage is wrong.
func (s *Store) Recount(ctx context.Context, part, parts int) (int, error) {
	return s.recount(ctx, recountRepos, recountOwners, part, parts)
}

// countRuns counts the existing runs into the table usage. It runs in a migration, before the database has tables for
// facts.
func (s *Store) countRuns(ctx context.Context) error {
	_, err := s.recount(ctx, strings.Replace(recountRepos, factBytes, "0", 1),
		strings.Replace(recountOwners, workBytes, "", 1), 0, 1)
	return err
}

// recount implements Recount. repos is the statement that counts repositories, and owners is the statement that counts
// owners.
func (s *Store) recount(ctx context.Context, repos, owners string, part, parts int) (int, error) {
	all, err := query(ctx, s.pool, store.ScanOne[string], `SELECT name FROM repos ORDER BY name`)
	if err != nil {
		return 0, fmt.Errorf("recount usage: %w", failure(ctx, err))
	}
	corrected := 0
	correct := func(q string, args ...any) error {
		return s.write(ctx, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `SET LOCAL statement_timeout = '10min'`); err != nil { // counting may take long
				return err
			}
			if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, recounting); err != nil {
				return err
			}
			tag, err := tx.Exec(ctx, q, args...)
			corrected += int(tag.RowsAffected())
			return err
		})
	}
	for some := range slices.Chunk(store.PartOf(all, part, parts), reposAtOnce) {
		if err := correct(repos, some); err != nil {
			return corrected, fmt.Errorf("recount usage: %w", err)
		}
	}
	if err := correct(owners); err != nil {
		return corrected, fmt.Errorf("recount usage of owners: %w", err)
	}
	return corrected, nil
}

// addDrift is the end of a statement. The beginning of the statement defines the table drift, which has the
// differences between the true counts and the counts in usage. addDrift adds these differences to usage.
const addDrift = `
	INSERT INTO usage AS u (owner, repo, shard, day, day_runs, day_events, runs, events, bytes)
	SELECT owner, repo, 17, usage_day(), 0, 0, runs, events, bytes
	FROM drift
	WHERE runs <> 0 OR events <> 0 OR bytes <> 0
	ON CONFLICT (owner, repo, shard) DO UPDATE
	SET runs = u.runs + excluded.runs, events = u.events + excluded.events, bytes = u.bytes + excluded.bytes`

// factBytes is an SQL expression for the size of the facts of a repository n.
const factBytes = `(SELECT coalesce(sum(f.bytes), 0) FROM fact_sizes f WHERE f.repo = n.repo)`

const recountRepos = `
	WITH named AS (
		SELECT usage_owner(name) AS owner, name AS repo FROM unnest($1::text[]) AS n (name)
	), want AS (
		SELECT n.owner, n.repo, count(r.id) AS runs, coalesce(sum(r.events), 0) AS events,
		       coalesce(sum(usage_bytes(r.stored, r.text_bytes, r.events)), 0)
		       + ` + factBytes + ` AS bytes
		FROM named n
		LEFT JOIN runs r ON r.repo = n.repo
		GROUP BY n.owner, n.repo
	), drift AS (
		SELECT w.owner, w.repo, w.runs - coalesce(sum(u.runs), 0) AS runs, w.events - coalesce(sum(u.events), 0) AS events,
		       w.bytes - coalesce(sum(u.bytes), 0) AS bytes
		FROM want w
		LEFT JOIN usage u ON u.owner = w.owner AND u.repo = w.repo
		GROUP BY w.owner, w.repo, w.runs, w.events, w.bytes
	)` + addDrift

// workBytes is an SQL query for the sizes of the jobs of each owner.
const workBytes = `
			UNION ALL
			SELECT owner, 'jobs', 0, 0, bytes FROM work_sizes`

const recountOwners = `
	WITH drift AS (
		SELECT owner, '/' AS repo, sum(CASE repo WHEN '/' THEN -runs ELSE runs END) AS runs,
		       sum(CASE repo WHEN '/' THEN -events ELSE events END) AS events,
		       sum(CASE repo WHEN '/' THEN -bytes ELSE bytes END) AS bytes
		FROM (
			SELECT owner, repo, runs, events, bytes FROM usage` + workBytes + `) AS parts
		GROUP BY owner
	)` + addDrift

// countUsage is the number of the migration that counts the existing runs.
const countUsage = 10

// Shrink implements store.Store. It checks the size again before each batch of runs, because other replicas may remove
// runs from the same repositories at the same time.
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
		return total, fmt.Errorf("remove the oldest runs of %s: %w", of.Name(), failure(ctx, err))
	}
	return total, nil
}

// shrinkWork removes the oldest dead jobs of an owner.
func (s *Store) shrinkWork(ctx context.Context, of store.Usage, bytes int64, total *store.Pruned) error {
	if !of.IsOwner() {
		return nil
	}
	_, over, err := s.over(ctx, of, bytes)
	if err != nil || over <= 0 {
		return err
	}
	tag, err := s.pool.Exec(ctx, `
		DELETE FROM queue
		WHERE state = 'dead' AND id IN (
			SELECT id
			FROM (
				SELECT id, sum(bytes) OVER (ORDER BY ended_at, id) - bytes AS before
				FROM work_sizes
				WHERE owner = $1 AND state = 'dead') AS w
			WHERE before < $2)`, encode(of.Owner), over)
	total.Jobs += int(tag.RowsAffected())
	return err
}

func (s *Store) shrink(ctx context.Context, of store.Usage, bytes int64, total *store.Pruned) error {
	for after := int64(0); ; {
		repos, over, err := s.over(ctx, of, bytes)
		if err != nil || over <= 0 {
			return err
		}
		list, err := s.oldest(ctx, repos, after)
		if err != nil || len(list) == 0 {
			return err
		}
		// The bytes are counted again, because other calls may have removed runs since the first count.
		if _, over, err = s.over(ctx, of, bytes); err != nil || over <= 0 {
			return err
		}
		list = store.Oldest(list, over)
		if err := s.removeAll(ctx, list, total); err != nil {
			return err
		}
		after = list[len(list)-1].ID
	}
}

// over returns the repositories of a usage: one repository, or all repositories of an owner. It also returns the
// number of bytes by which the usage exceeds the given size.
func (s *Store) over(ctx context.Context, of store.Usage, bytes int64) ([]string, int64, error) {
	rows, err := s.usages(ctx, `WHERE u.owner = $1`, of.Owner)
	if err != nil {
		return nil, 0, err
	}
	var repos []string
	for _, u := range rows {
		if u.Repo == of.Repo {
			bytes -= u.Bytes
		}
		if !u.IsOwner() && (of.IsOwner() || u.Repo == of.Repo) {
			repos = append(repos, u.Repo)
		}
	}
	return repos, -bytes, nil
}

// oldest returns up to runsAtOnce runs of some repositories, oldest first. It leaves out runs in the state running, and
// runs whose ID is not higher than the parameter after.
func (s *Store) oldest(ctx context.Context, repos []string, after int64) ([]store.Candidate, error) {
	return query(ctx, s.pool, func(scan func(...any) error) (store.Candidate, error) {
		var c store.Candidate
		err := scan(&c.ID, &c.Events, &c.Size)
		return c, err
	}, `
		SELECT r.id, r.events, usage_bytes(r.stored, r.text_bytes, r.events)
		FROM unnest($1::text[]) AS k (repo)
		CROSS JOIN LATERAL (
			SELECT *
			FROM runs r
			WHERE r.repo = k.repo AND r.id > $2 AND r.state <> 'running'
			ORDER BY r.id
			LIMIT $3
		) r
		ORDER BY r.id
		LIMIT $3`, encodeAll(repos), after, runsAtOnce)
}

// shrinkFacts removes versions of sources, and the oldest snapshots, if the facts of a usage take too much space. It
// returns the number of bytes that become free later, by maintenance. If several replicas call it, they work one at a
// time.
func (s *Store) shrinkFacts(ctx context.Context, of store.Usage, bytes int64, total *store.Pruned) (int64, error) {
	repos, over, err := s.over(ctx, of, bytes)
	if err != nil || over <= 0 {
		return 0, err
	}
	var pending int64
	var dropped, removed int
	err = s.write(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('shrink ' || $1))`, encode(of.Owner)); err != nil {
			return err
		}
		sources, freed, err := shrinkSources(ctx, tx, repos, over, bytes)
		if err != nil {
			return err
		}
		removed = sources
		if over -= freed; over <= 0 {
			return nil
		}
		share, err := factShare(ctx, tx, repos)
		if err != nil {
			return err
		}
		if excess := share.Excess(over, bytes); excess > 0 {
			if dropped, err = dropOldest(ctx, tx, repos, excess); err != nil {
				return err
			}
			share, err = factShare(ctx, tx, repos)
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
func shrinkSources(ctx context.Context, tx pgx.Tx, repos []string, over, bytes int64) (n int, freed int64, err error) {
	var all int64
	const sum = `SELECT coalesce(sum(size + $2), 0)::bigint FROM doc_sources WHERE repo = ANY ($1)`
	if err := tx.QueryRow(ctx, sum, encodeAll(repos), store.ObjectRow).Scan(&all); err != nil {
		return 0, 0, err
	}
	excess := store.SourceExcess(over, all, bytes)
	if excess == 0 {
		return 0, 0, nil
	}
	n, err = dropSources(ctx, tx, `id IN (
		SELECT id
		FROM (
			SELECT id, sum(size + $2) OVER (ORDER BY newest, id) - size - $2 AS before
			FROM (
				SELECT id, size, row_number() OVER (PARTITION BY repo, alias ORDER BY id DESC) = 1 AS newest
				FROM doc_sources
				WHERE repo = ANY ($1)) v) w
		WHERE before < $3)`, encodeAll(repos), store.ObjectRow, excess)
	if err != nil {
		return 0, 0, err
	}
	var left int64
	err = tx.QueryRow(ctx, sum, encodeAll(repos), store.ObjectRow).Scan(&left)
	return n, all - left, err
}

func factShare(ctx context.Context, tx pgx.Tx, repos []string) (f store.FactShare, err error) {
	err = tx.QueryRow(ctx, `
		SELECT
			(SELECT coalesce(sum(o.size + $2), 0)::bigint FROM fact_objects o WHERE o.repo = ANY ($1)),
			(SELECT count(DISTINCT (s.repo, s.manifest)) FROM snapshots s WHERE s.repo = ANY ($1)),
			(SELECT count(*) FROM fact_objects o WHERE o.repo = ANY ($1) AND NOT o.used AND o.asked_at < $3)`,
		encodeAll(repos), store.ObjectRow, store.Stale(time.Now())).Scan(&f.Bytes, &f.Manifests, &f.Dropped)
	return f, err
}

// dropOldest removes the snapshots of the n oldest manifests, and returns the number of removed snapshots. It keeps the
// snapshots at branches and tags, and the newest snapshots of the default branch.
func dropOldest(ctx context.Context, tx pgx.Tx, repos []string, n int) (int, error) {
	list, err := query(ctx, tx, store.ScanOne[int64], `
		WITH free AS (
			SELECT s.id, s.repo, s.manifest
			FROM snapshots s
			WHERE s.repo = ANY ($1) AND s.id NOT IN (`+newestSnapshots+`)
			  AND NOT EXISTS (
				SELECT 1
				FROM commit_names n
				WHERE n.repo = s.repo AND n.commit_hash = s.commit_hash AND (`+store.HeadsSQL+`))
		), oldest AS (
			SELECT f.repo, f.manifest FROM free f GROUP BY f.repo, f.manifest ORDER BY max(f.id) LIMIT $2
		)
		SELECT f.id FROM free f JOIN oldest o ON o.repo = f.repo AND o.manifest = f.manifest`, encodeAll(repos), n)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return dropSnapshots(ctx, tx, `s.id = ANY ($1)`, list)
}
