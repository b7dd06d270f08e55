package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store/storetest"
)

// BenchmarkTests reports, among others, the size of the tables of test results with their indexes.
func BenchmarkTests(b *testing.B) {
	s, url := durable(b)
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
	storetest.BenchmarkTests(b, s, func() (size int64) {
		err = conn.QueryRow(b.Context(), `
			SELECT sum(pg_total_relation_size(t::regclass))::bigint
			FROM unnest(ARRAY['tests', 'test_runs', 'test_segments', 'test_pages']) AS t`).Scan(&size)
		if err != nil {
			b.Fatal(err)
		}
		return size
	}, func() error {
		var one int
		return conn.QueryRow(b.Context(), `SELECT 1`).Scan(&one)
	})
}
