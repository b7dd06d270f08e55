package postgres

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// Prints implements store.Store.
func (s *Store) Prints(ctx context.Context, sc store.Scope, f store.PrintFilter) ([]store.Print, error) {
	at, err := s.lookup(ctx, s.pool, sc, store.Ref{Attempt: f.Attempt})
	if err != nil {
		return nil, err
	}
	list, err := readPrints(ctx, s.pool, at.id, f)
	if err != nil {
		return nil, fmt.Errorf("read prints of %s: %w", at.Ref(), failure(ctx, err))
	}
	return list, nil
}

// printSQL lists the columns of a print. bareSQL lists the columns that are read if PrintFilter.Bare is set.
const (
	bareSQL  = `e.category, e.id, e.fingerprint`
	printSQL = bareSQL + `, e.pattern,
			CASE
			WHEN e.category = 'test' AND octet_length(e.message) < $1::integer THEN 1::smallint
			WHEN e.tool IN ('rustc', 'clippy') AND strpos(e.message, E'\n') > 0 THEN 2::smallint
			WHEN e.tool = 'arch-lint' AND e.category = 'lint' THEN
				CASE WHEN right(e.message, length($5::text)) = $5::text THEN 4::smallint ELSE 3::smallint END
			ELSE 0::smallint END,
			e.file`
)

func readPrints(ctx context.Context, db querier, run int64, f store.PrintFilter) ([]store.Print, error) {
	columns, ints := printSQL, 4
	if f.Bare {
		columns, ints = bareSQL+`, $1::integer, $5::text`, 2
	}
	rows, err := db.Query(ctx, `
		SELECT `+columns+`
		FROM events e
		WHERE e.run_id = $2 AND e.id > $3::integer AND e.severity = 1
		ORDER BY e.run_id DESC, e.id
		LIMIT $4::bigint`, store.TerseBytes, run, f.After, f.Limit,
		store.OlderThanRule)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []store.Print
	var category store.Category
	words := map[string]string{}
	for rows.Next() {
		raw := rows.RawValues() // Scan takes twice as long, which matters for a million rows
		if list == nil {
			list = make([]store.Print, 0, min(f.Limit, 1<<16))
		}
		var n [4]int64
		for i := range ints {
			if n[i], err = number(raw[1+i], rows.FieldDescriptions()[1+i].Format); err != nil {
				return nil, err
			}
		}
		if string(category) != string(raw[0]) { // the category is usually the same as in the previous row
			category = store.Category(shared(words, raw[0]))
		}
		p := store.Print{ID: int(n[0]), Fingerprint: n[1], Pattern: n[2], Category: category, Terse: n[3] == 1,
			Labeled: n[3] == 2, Placed: n[3] >= 3, Older: n[3] == 4}
		if !f.Bare {
			p.File = shared(words, raw[5])
		}
		list = append(list, p)
	}
	return list, rows.Err()
}

// number decodes an integer of 2, 4 or 8 bytes, or an integer in digits.
func number(raw []byte, format int16) (int64, error) {
	if format != pgx.BinaryFormatCode {
		return strconv.ParseInt(string(raw), 10, 64)
	}
	switch len(raw) {
	case 2:
		return int64(int16(binary.BigEndian.Uint16(raw))), nil
	case 4:
		return int64(int32(binary.BigEndian.Uint32(raw))), nil
	case 8:
		return int64(binary.BigEndian.Uint64(raw)), nil
	}
	return 0, fmt.Errorf("a number of %d bytes", len(raw))
}

// shared returns the decoded text. It returns the same string for equal texts, which saves memory.
func shared(words map[string]string, text []byte) string {
	word, seen := words[string(text)]
	if !seen {
		word = decode(string(text))
		words[string(text)] = word
	}
	return word
}
