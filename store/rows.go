package store

import "context"

// Rows are rows from a database driver.
type Rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
}

// ScanRows calls scan for each row, and returns the results. It counts the memory of the results (see Holding). The
// caller must close the rows.
func ScanRows[T any](ctx context.Context, rows Rows, scan func(scan func(...any) error) (T, error)) ([]T, error) {
	var list []T
	err := EachRow(ctx, rows, func(columns func(...any) error) error {
		v, err := scan(columns)
		if err == nil {
			list = append(list, v)
		}
		return err
	})
	return list, err
}

// EachRow calls a function for each row, until the function returns an error. It counts the memory of the columns that
// the function scans (see Holding). The caller must close the rows.
func EachRow(ctx context.Context, rows Rows, row func(scan func(...any) error) error) error {
	columns := holdingOf(ctx).scan(rows.Scan)
	for rows.Next() {
		if err := row(columns); err != nil {
			return err
		}
	}
	return rows.Err()
}

// ScanOne scans a row of a single column.
func ScanOne[T any](scan func(...any) error) (T, error) {
	var v T
	err := scan(&v)
	return v, err
}

// PassedSQL is an SQL condition for all engines. It is true for runs r whose Status is StatusOK.
const PassedSQL = `r.state = 'completed' AND r.reason = '' AND r.signal = ''
	AND coalesce(r.exit_code, CASE WHEN r.lost = '' THEN r.errors ELSE 1 END) = 0`

// RunSQL lists the columns of a run r, in SQL for all engines. The migration that stores the steps of runs also uses
// RunSQL. So RunSQL lists only columns that existed before that migration.
const RunSQL = `
	r.id, r.attempt, r.repo, r.serial, r.source,
	r.command, r.cwd, r.started_at, r.hostname, r.platform, r.arch,
	r.git_commit, r.git_branch, r.git_dirty, r.git_root, r.ci, r.format, r.shape,
	r.state, r.opened_at, r.heartbeat_at, r.finished_at, r.exit_code, r.signal, r.reason, r.lost,
	r.errors, r.warnings, r.bytes, r.lines`

// EnrolledSQL lists the columns of an enrolled repository, in SQL for all engines.
const EnrolledSQL = `host, id, name, default_branch, public, enrolled_at`

// Columns returns pointers for scanning the columns of EnrolledSQL. enrolled is the pointer for the time, because each
// engine has its own type for times.
func (r *EnrolledRepo) Columns(enrolled any) []any {
	return []any{&r.Host, &r.ID, &r.Name, &r.DefaultBranch, &r.Public, enrolled}
}

// ChunkSQL lists the columns of the table chunks, in SQL for all engines.
const ChunkSQL = `sequence, stream, first_line, lines, start, bytes, stored, digest, key`

// Columns returns pointers to scan the columns of ChunkSQL into.
func (c *Chunk) Columns() []any {
	return []any{&c.Sequence, &c.Stream, &c.FirstLine, &c.Lines, &c.Offset, &c.Bytes, &c.Stored, &c.Digest, &c.Key}
}

// Label sets the fingerprint and pattern of a stored event from their stored numbers. It replaces a fingerprint that
// follows earlier rules (see currentFingerprint). It also replaces the event's texts by equal texts of other events, to
// save memory.
func (e *RunEvent) Label(fingerprint, pattern int64) {
	e.Fingerprint = formatFingerprint(e.Tool, e.Category, fingerprint)
	e.Fingerprint = currentFingerprint(e.Event)
	e.Pattern = formatFingerprint(e.Tool, e.Category, pattern)
	e.intern()
}
