package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/blq-ci/blq/store/storetest"
)

// BenchmarkTests counts the whole database as the size of results.
func BenchmarkTests(b *testing.B) {
	path := filepath.Join(b.TempDir(), "blq.db")
	storetest.BenchmarkTests(b, open(b, path), func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		return info.Size()
	})
}
