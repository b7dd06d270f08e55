package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

// Several replicas start, fill, finish and remove runs in parallel. The counts match the runs.
func TestReplicasCountExactly(t *testing.T) {
	t.Parallel()
	s := replicas(t, 3)
	const runs, batches = 24, 5
	atOnce(runs, func(i int) {
		s := s[i%3]
		r, err := s.StartRun(t.Context(), run(fmt.Sprint("o/", i%2), fmt.Sprint("attempt-", i)))
		if err != nil {
			t.Error(err)
		}
		atOnce(batches, func(n int) {
			list := events(10, n)
			for j := range list {
				list[j].ID = 10*n + j + 1
			}
			c := store.Chunk{Sequence: n, FirstLine: n + 1, Lines: 1, Bytes: 5, Stored: 7, Digest: "d",
				Key: fmt.Sprint("k/", i, n)}
			for range 2 { // repetitions count once
				if err := s.AddEvents(t.Context(), r.Attempt, n, list); err != nil {
					t.Error(err)
				}
				if err := s.AddChunk(t.Context(), r.Attempt, c); err != nil {
					t.Error(err)
				}
			}
		})
		if i%4 == 0 {
			return // the run goes on
		}
		if _, err := s.FinishRun(t.Context(), r.Attempt, store.Finish{Chunks: batches, Batches: batches}); err != nil {
			t.Error(err)
		}
		if i%3 == 0 {
			if _, err := s.Prune(t.Context(), store.Repos("o/1"), store.Policy{All: true}); err != nil {
				t.Error(err)
			}
		}
	})
	if t.Failed() {
		return
	}
	if n, err := s[0].Recount(t.Context(), 0, 1); n != 0 || err != nil {
		t.Errorf("%d counts were wrong, %v", n, err)
	}
	_, owner, err := s[0].Usage(t.Context(), "o/0")
	if err != nil || owner.DayRuns != runs || owner.DayEvents != runs*batches*10 || owner.Runs < runs/2 {
		t.Errorf("of the owner: %+v, %v", owner, err)
	}
}

// Several replicas that shrink the same repository in parallel remove only as many runs as a single replica.
func TestReplicasDoNotShrinkTwice(t *testing.T) {
	t.Parallel()
	s := replicas(t, 4)
	const runs = 40
	for i := range runs {
		r, err := s[0].StartRun(t.Context(), run("o/n", fmt.Sprint("attempt-", i)))
		if err == nil {
			_, err = s[0].FinishRun(t.Context(), r.Attempt, store.Finish{Chunks: -1, Batches: -1})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	of, _, err := s[0].Usage(t.Context(), "o/n")
	if err != nil {
		t.Fatal(err)
	}
	atOnce(len(s), func(i int) {
		if _, err := s[i].Shrink(t.Context(), of, of.Bytes/2+100); err != nil {
			t.Error(err)
		}
	})
	if left, _, err := s[0].Usage(t.Context(), "o/n"); left.Runs != runs/2 || err != nil {
		t.Errorf("%d runs are left, %v; want %d", left.Runs, err, runs/2)
	}
}

func TestRecountCorrects(t *testing.T) {
	t.Parallel()
	url := database(t)
	s := open(t, url)
	for i, repo := range []string{"o/a", "o/b", "p/a", ""} {
		if _, err := s.StartRun(t.Context(), run(repo, fmt.Sprint("attempt-", i))); err != nil {
			t.Fatal(err)
		}
	}
	want, err := s.Usages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The first two statements make counts wrong. The third statement removes the counts of the run without a
	// repository, as if no trigger had counted the run.
	execute(t, url, `
		UPDATE usage SET bytes = bytes + 5 WHERE repo = 'o/a';
		UPDATE usage SET runs = runs + 1 WHERE owner = 'p' AND repo = '/';
		DELETE FROM usage WHERE owner = ''`)
	for _, wrong := range []int{4, 0} {
		if n, err := s.Recount(t.Context(), 0, 1); n != wrong || err != nil {
			t.Errorf("corrected %d, %v; want %d", n, err, wrong)
		}
	}
	got, err := s.Usages(t.Context())
	if err != nil || len(got) != len(want) {
		t.Fatal(got, err)
	}
	for i := range got {
		if got[i].Runs != want[i].Runs || got[i].Bytes != want[i].Bytes {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
}

func TestRunsFromBeforeTheCountsAreCounted(t *testing.T) {
	t.Parallel()
	url := database(t)
	s := open(t, url)
	r, err := s.StartRun(t.Context(), run("Acme/shop", "attempt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AddEvents(t.Context(), r.Attempt, 0, events(3, 1)); err != nil {
		t.Fatal(err)
	}
	execute(t, url, undoUsage+`; DELETE FROM goose_db_version WHERE version_id >= 9`)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	of, owner, err := open(t, url).Usage(t.Context(), "Acme/shop")
	const size = store.RunRow + 3*store.EventRow
	if err != nil || of.Runs != 1 || of.Events != 3 || of.Bytes != size || owner.Bytes != size || owner.Owner != "acme" {
		t.Errorf("%+v and %+v, %v", of, owner, err)
	}
}

// The counts of a day end with the day. The other counts stay.
func TestDaysEnd(t *testing.T) {
	t.Parallel()
	url := database(t)
	s := open(t, url)
	start := func(n int) {
		t.Helper()
		if _, err := s.StartRun(t.Context(), run("o/n", fmt.Sprint("attempt-", n))); err != nil {
			t.Fatal(err)
		}
	}
	start(1)
	execute(t, url, `CREATE OR REPLACE FUNCTION usage_day() RETURNS date LANGUAGE sql VOLATILE AS $$
		SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date + 1 $$`)
	s = open(t, url) // old connections may still use the old function
	for i, want := range []int{0, 1, 2} {
		if i > 0 {
			start(1 + i)
		}
		of, owner, err := s.Usage(t.Context(), "o/n")
		if err != nil || of.DayRuns != want || owner.DayRuns != want || of.Runs != 1+i || of.DayLeft < 24*time.Hour {
			t.Errorf("next day, %d runs: %+v, %v", i, of, err)
		}
	}
}

// undoUsage undoes the migrations of usage and all later migrations.
const undoUsage = `
	DROP TABLE directory_past; DROP TABLE directory_handovers; DROP TABLE directory_sign_ins;
	DROP FUNCTION test_run_removed CASCADE; DROP TABLE tests, test_runs, test_segments, test_pages, test_packings;
	DROP TABLE notes; DROP VIEW work_sizes; DROP TABLE queue; DROP FUNCTION usage_of_work, usage_of_lost_work;
	DROP TABLE realm_sessions; DROP TABLE attestations; DROP TABLE realm_states;
	DROP TABLE realm_news; DROP SEQUENCE realm_news_last; DROP TABLE notification_reads;
	DROP TABLE notification_recipients; DROP TABLE notifications; DROP FUNCTION realm_news_of_snapshot CASCADE;
	DROP TABLE claims; DROP TABLE doc_sources CASCADE; DROP FUNCTION usage_of_source, usage_of_lost_source;
	DROP TABLE snapshots CASCADE; DROP TABLE fact_objects CASCADE; DROP TABLE commits; DROP TABLE commit_names;
	DROP FUNCTION usage_of_fact; DROP FUNCTION usage_of_lost_fact;
	ALTER TABLE runs DROP COLUMN output_at; ALTER TABLE runs DROP COLUMN undated; ALTER TABLE runs DROP COLUMN files;
	DROP FUNCTION usage_of_change CASCADE; DROP FUNCTION usage_of_removal CASCADE; DROP FUNCTION usage_owner;
	DROP FUNCTION usage_day; DROP FUNCTION usage_bytes; DROP TABLE usage; DROP TABLE readiness;
	ALTER TABLE runs DROP COLUMN text_bytes`
