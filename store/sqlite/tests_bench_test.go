package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/blq-ci/blq/store/storetest"
)

// BenchmarkTests uses the growth of the whole database as the size of results.
func BenchmarkTests(b *testing.B) {
	path := filepath.Join(b.TempDir(), "blq.db")
	s := open(b, path)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	storetest.BenchmarkTests(b, s, func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		return info.Size()
	}, func() error {
		var one int
		return db.QueryRowContext(b.Context(), `SELECT 1`).Scan(&one)
	})
}
