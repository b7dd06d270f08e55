package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/blq-ci/blq/store"
)

// Prints implements store.Store.
func (s *Store) Prints(ctx context.Context, sc store.Scope, attempt string, after, limit int) ([]store.Print, error) {
	at, err := s.lookup(ctx, s.pool, sc, store.Ref{Attempt: attempt})
	if err != nil {
		return nil, err
	}
	list, err := readPrints(ctx, s.pool, at.id, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read prints of %s: %w", at.Ref(), failure(ctx, err))
	}
	return list, nil
}

func readPrints(ctx context.Context, db querier, run int64, after, limit int) ([]store.Print, error) {
	rows, err := db.Query(ctx, `
		SELECT
			e.id, e.fingerprint, e.pattern, e.category, e.file,
			CASE
			WHEN e.category = 'test' AND octet_length(e.message) < $1::integer THEN 1::smallint
			WHEN e.tool IN ('rustc', 'clippy') AND strpos(e.message, E'\n') > 0 THEN 2::smallint
			ELSE 0::smallint END
		FROM events e
		WHERE e.run_id = $2 AND e.id > $3::integer AND e.severity = 1
		ORDER BY e.run_id DESC, e.id
		LIMIT $4::bigint`, store.TerseBytes, run, after, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []store.Print
	var p store.Print
	var kind int16
	var category, file pgtype.DriverBytes
	into := []any{&p.ID, &p.Fingerprint, &p.Pattern, &category, &file, &kind}
	words := map[string]string{}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		p.Category, p.File = store.Category(shared(words, category)), shared(words, file)
		p.Terse, p.Labeled = kind == 1, kind == 2
		list = append(list, p)
	}
	return list, rows.Err()
}

// shared returns a text as it was before encode, in one copy for all rows that have it.
func shared(words map[string]string, text []byte) string {
	word, seen := words[string(text)]
	if !seen {
		word = decode(string(text))
		words[string(text)] = word
	}
	return word
}
