package store

// Rows are rows that a driver of a database reads.
type Rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
}

// ScanRows returns the result of scan for each row. The caller closes the rows.
func ScanRows[T any](rows Rows, scan func(scan func(...any) error) (T, error)) ([]T, error) {
	var list []T
	for rows.Next() {
		v, err := scan(rows.Scan)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// ScanOne scans a row of a single column.
func ScanOne[T any](scan func(...any) error) (T, error) {
	var v T
	err := scan(&v)
	return v, err
}

// PassedSQL selects runs r whose Status is StatusOK, in the SQL of all engines.
const PassedSQL = `r.state = 'completed' AND r.reason = '' AND r.signal = '' AND coalesce(r.exit_code, r.errors) = 0`

// ChunkSQL are the columns of a chunk in the table chunks, in the SQL of all engines.
const ChunkSQL = `sequence, stream, first_line, lines, start, bytes, stored, digest, key`

// Columns returns where the columns of ChunkSQL are scanned to.
func (c *Chunk) Columns() []any {
	return []any{&c.Sequence, &c.Stream, &c.FirstLine, &c.Lines, &c.Offset, &c.Bytes, &c.Stored, &c.Digest, &c.Key}
}

// Label gives a stored event its fingerprint and pattern, which are stored as numbers, and shares texts that many
// events have.
func (e *RunEvent) Label(fingerprint, pattern int64) {
	e.Fingerprint = formatFingerprint(e.Tool, e.Category, fingerprint)
	e.Fingerprint = currentFingerprint(e.Event)
	e.Pattern = formatFingerprint(e.Tool, e.Category, pattern)
	e.intern()
}
