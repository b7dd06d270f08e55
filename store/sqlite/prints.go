package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"github.com/blq-ci/blq/store"
)

// printSQL lists the columns of a print. bareSQL lists the columns that are read if PrintFilter.Bare is set.
const (
	bareSQL  = `id, fingerprint, category`
	printSQL = bareSQL + `, pattern, file,
			CASE
			WHEN category = 'test' AND length(CAST(message AS BLOB)) < ?1 THEN 1
			WHEN tool IN ('rustc', 'clippy') AND instr(message, char(10)) > 0 THEN 2
			WHEN tool = 'arch-lint' AND category = 'lint' THEN 3 + (substr(message, -length(?4)) = ?4)
			ELSE 0 END`
)

// Prints implements store.Store.
func (s *Store) Prints(ctx context.Context, sc store.Scope, f store.PrintFilter) ([]store.Print, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	at, err := visible(ctx, db, sc, f.Attempt)
	if err != nil {
		return nil, err
	}
	columns, args := printSQL, []any{store.TerseBytes, at.id, f.After, store.OlderThanRule}
	if f.Bare {
		columns, args = bareSQL, args[:3]
	}
	rows, err := db.QueryContext(ctx, `
		SELECT `+columns+`
		FROM events
		WHERE run_id = ?2 AND id > ?3 AND severity = 'error'
		ORDER BY id
		`+upTo(f.Limit), args...)
	if err != nil {
		return nil, fmt.Errorf("read prints: %w", busyError(err))
	}
	defer rows.Close()
	var list []store.Print
	var category, file sql.RawBytes
	var p store.Print
	var kind int
	into := []any{&p.ID, &p.Fingerprint, &category, &p.Pattern, &file, &kind}
	if f.Bare {
		into = into[:3]
	}
	words := map[string]string{}
	for rows.Next() {
		if len(list)%rowsBetween == rowsBetween-1 {
			if err := store.Pause(ctx); err != nil {
				return nil, err
			}
		}
		if err := rows.Scan(into...); err != nil {
			return nil, fmt.Errorf("read prints: %w", err)
		}
		if list == nil {
			list = make([]store.Print, 0, min(f.Limit, 1<<16))
		}
		if string(p.Category) != string(category) { // the category is usually the same as in the previous row
			p.Category = store.Category(shared(words, category))
		}
		if !f.Bare {
			p.File = shared(words, file)
		}
		p.Terse, p.Labeled, p.Placed, p.Older = kind == 1, kind == 2, kind >= 3, kind == 4
		list = append(list, p)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read prints: %w", busyError(err))
	}
	return list, nil
}

// shared returns text as a string. It returns the same string for equal texts, which saves memory.
func shared(words map[string]string, text []byte) string {
	word, seen := words[string(text)]
	if !seen {
		word = string(text)
		words[word] = word
	}
	return word
}

// numbers returns a list of numbers as JSON.
func numbers(list []int) string {
	text := []byte{'['}
	for i, n := range list {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(n), 10)
	}
	return string(append(text, ']'))
}
