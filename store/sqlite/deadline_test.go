package sqlite_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

func TestDeadlineEndsWaitingForALock(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "blq.db")
	s := sqlitetest.OpenAt(t, path)
	other, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()

	soon, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	run := store.Run{Attempt: "0190a1b2-0000-7000-8000-000000000001", Source: "build", StartedAt: time.Now()}
	if _, err := s.StartRun(soon, run); err == nil {
		t.Error("a run is started while another holds the lock")
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.StartRun(ctx, run); err != nil {
		t.Errorf("without the lock: %v", err)
	}
}
