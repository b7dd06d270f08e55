package store_test

import (
	"testing"
	"testing/fstest"

	"github.com/blq-ci/blq/store"
)

func TestTheNewestMigrationHasTheHighestNumber(t *testing.T) {
	files := fstest.MapFS{"00002_b.sql": {}, "00010_a.sql": {}, "00009_c.sql": {}, "notes.txt": {}}
	if n, err := store.NewestMigration(files); n != 10 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	for name, files := range map[string]fstest.MapFS{"none": {"notes.txt": {}}, "no number": {"first.sql": {}}} {
		if n, err := store.NewestMigration(files); err == nil {
			t.Errorf("%s: %d", name, n)
		}
	}
}
