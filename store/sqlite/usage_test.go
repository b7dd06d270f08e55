package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
)

// The usage includes data that an older program has stored. A recount corrects wrong counts.
func TestUsageOfAnOlderProgram(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "blq.db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.StartRun(t.Context(), store.Run{Attempt: "1", Repo: "Acme/shop", Source: "make"})
	if err != nil {
		t.Fatal(err)
	}
	event := store.Event{ID: 1, Severity: store.SeverityError, Message: "m"}
	if err := s.AddEvents(t.Context(), r.Attempt, 0, []store.Event{event}); err != nil {
		t.Fatal(err)
	}
	chunk := store.Chunk{FirstLine: 1, Bytes: 5, Stored: 7, Digest: "d", Key: "k"}
	if err := s.AddChunk(t.Context(), r.Attempt, chunk); err != nil {
		t.Fatal(err)
	}
	s.Close()
	execute(t, path, undoUsage+`; DELETE FROM goose_db_version WHERE version_id >= 10`)
	if s, err = sqlite.Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := store.Usage{Owner: "acme", Repo: "Acme/shop", Runs: 1, Events: 1, Bytes: store.RunRow + store.EventRow + 7}
	got, owner, err := s.Usage(t.Context(), "Acme/shop")
	got.DayLeft = 0
	if err != nil || got != want || owner.Bytes != want.Bytes || owner.Runs != 1 {
		t.Errorf("got %+v and %+v, %v; want %+v", got, owner, err, want)
	}
	execute(t, path, `UPDATE usage SET bytes = bytes + 5 WHERE repo = '/'; UPDATE usage SET events = 0 WHERE repo <> '/'`)
	for _, wrong := range []int{2, 0} {
		if n, err := s.Recount(t.Context(), 0, 1); n != wrong || err != nil {
			t.Errorf("corrected %d, %v; want %d", n, err, wrong)
		}
	}
	if again, _, err := s.Usage(t.Context(), "Acme/shop"); err != nil || again.Events != 1 || again.Bytes != want.Bytes {
		t.Errorf("after the recount: %+v, %v", again, err)
	}
}

// undoUsage undoes the migrations of usage and all later migrations.
const undoUsage = `
	DROP TABLE directory_past; DROP TABLE directory_handovers; DROP TABLE directory_sign_ins;
	DROP TRIGGER test_runs_removed; DROP TABLE test_packings; DROP TABLE tests; DROP TABLE test_runs;
	DROP TABLE test_segments; DROP TABLE test_pages;
	DROP TABLE notes; DROP VIEW work_sizes; DROP TABLE queue;
	DROP TABLE realm_sessions; DROP TABLE attestations; DROP TABLE realm_states;
	DROP TABLE realm_news; DROP TABLE realm_news_last; DROP TABLE notification_reads;
	DROP TABLE notification_recipients; DROP TABLE notifications;
	DROP VIEW fact_sizes; DROP TABLE doc_sources; DROP TABLE snapshots; DROP TABLE fact_objects; DROP TABLE commits;
	DROP TABLE commit_names;
	ALTER TABLE runs DROP COLUMN output_at; ALTER TABLE runs DROP COLUMN undated; ALTER TABLE runs DROP COLUMN files;
	DROP TRIGGER usage_started; DROP TRIGGER usage_changed; DROP TRIGGER usage_removed;
	DROP VIEW run_sizes; DROP TABLE usage; DROP TABLE readiness;
	ALTER TABLE runs DROP COLUMN stored; ALTER TABLE runs DROP COLUMN events; ALTER TABLE runs DROP COLUMN text_bytes`
