package sqlite

import (
	"context"

	"github.com/blq-ci/blq/store"
)

const (
	// fewMatches is the max number of events that are looked up by the index of fingerprints. Events are listed by run.
	// So all events that the index finds must be read, even if the list has a limit.
	fewMatches = 10_000
	// seekRows is the number of rows that SQLite reads in the time of one search in the index.
	seekRows = 10
)

// byFingerprint returns a hint for SQLite to find events by the index of fingerprints, or "". For several fingerprints,
// SQLite by itself reads all events of the runs, in the order of the list. That is slow if the runs have very many
// events, and few of them match. If many match, it is faster than the index, because a list with a limit soon has
// enough. The parameter runs is a query for the IDs of the runs, and args has its arguments.
func byFingerprint(ctx context.Context, db querier, f store.EventFilter, runs string, args []any) (string, error) {
	if len(f.Fingerprints) < 2 || f.Runs.Attempts == nil {
		return "", nil
	}
	var all, events int
	err := db.QueryRowContext(ctx, `
		SELECT count(*), coalesce(sum(r.events), 0)
		FROM runs r
		WHERE r.id IN (`+runs+`)`, args...).Scan(&all, &events)
	if err != nil || events < seekRows*all*len(f.Fingerprints) {
		return "", busyError(err)
	}
	var w where
	w.and("r.id IN ("+runs+")", args...)
	if err := w.fingerprints(f.Fingerprints); err != nil {
		return "", err
	}
	const hint = " INDEXED BY events_fingerprint"
	var matches int
	err = db.QueryRowContext(ctx, `
		SELECT count(*)
		FROM (
			SELECT 1
			FROM runs r
			CROSS JOIN events e`+hint+` ON e.run_id = r.id
			`+w.String()+`
			`+upTo(fewMatches+1)+`
		)`, w.args...).Scan(&matches)
	if err != nil || matches > fewMatches {
		return "", busyError(err)
	}
	return hint, nil
}
