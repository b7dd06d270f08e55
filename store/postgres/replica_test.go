package postgres_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
)

var everything = store.Everything()

// replicas returns stores of several processes over one database.
func replicas(t *testing.T, n int) []*postgres.Store {
	url := database(t)
	list := make([]*postgres.Store, n)
	for i := range list {
		list[i] = open(t, url)
	}
	return list
}

// atOnce calls f n times in parallel.
func atOnce(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func run(repo, attempt string) store.Run {
	return store.Run{Attempt: attempt, Repo: repo, Source: "build", StartedAt: time.Unix(1e9, 0)}
}

func TestReplicasStartARunOnce(t *testing.T) {
	t.Parallel()
	s := replicas(t, 3)
	const attempts, calls = 20, 4
	serials := make([]int, attempts*calls)
	atOnce(attempts*calls, func(i int) {
		r, err := s[i%3].StartRun(t.Context(), run("o/n", fmt.Sprint("attempt-", i/calls)))
		if err != nil {
			t.Error(err)
		}
		serials[i] = r.Serial
	})
	seen := map[int]int{}
	for i, n := range serials {
		if n < 1 || n > attempts || n != serials[i/calls*calls] {
			t.Errorf("attempt %d has serials %v", i/calls, serials[i/calls*calls:][:calls])
		}
		seen[n]++
	}
	if len(seen) != attempts {
		t.Errorf("%d serials for %d runs: %v", len(seen), attempts, seen)
	}
	list, err := s[0].Runs(t.Context(), everything, store.RunFilter{})
	if err != nil || len(list) != attempts {
		t.Fatal(len(list), err)
	}
	for i, r := range list {
		if r.Serial != attempts-i {
			t.Errorf("run %d of the list, newest first, has serial %d", i, r.Serial)
		}
	}
}

func TestAnAttemptThatTwoRepositoriesStartAtOnceIsOneOfTheirs(t *testing.T) {
	t.Parallel()
	s := replicas(t, 2)
	for n := range 20 {
		var taken [2]error
		atOnce(2, func(i int) {
			_, taken[i] = s[i].StartRun(t.Context(), run(fmt.Sprint("o/", i), fmt.Sprint("attempt-", n)))
		})
		won := 0
		for _, err := range taken {
			if err == nil {
				won++
			} else if store.CodeOf(err) != store.Conflict {
				t.Errorf("the second gets %v", err)
			}
		}
		if won != 1 {
			t.Errorf("%d started attempt %d: %v", won, n, taken)
		}
	}
}

func TestReplicasAddABatchAndAChunkOnce(t *testing.T) {
	t.Parallel()
	s := replicas(t, 3)
	r, err := s[0].StartRun(t.Context(), run("o/n", "a"))
	if err != nil {
		t.Fatal(err)
	}
	list := events(40, 0)
	atOnce(40, func(i int) {
		n := i / 4
		if err := s[i%3].AddEvents(t.Context(), r.Attempt, n, list[4*n:4*n+4]); err != nil {
			t.Error(err)
		}
		c := store.Chunk{Sequence: n, FirstLine: 1, Lines: 10, Bytes: 100, Stored: 7, Digest: fmt.Sprint(n),
			Key: fmt.Sprint("k/", n)}
		if err := s[(i+1)%3].AddChunk(t.Context(), r.Attempt, c); err != nil {
			t.Error(err)
		}
	})
	r, err = s[1].FinishRun(t.Context(), r.Attempt, store.Finish{Chunks: 10, Batches: 10})
	if err != nil || r.Errors+r.Warnings != 40 || r.Bytes != 1000 {
		t.Errorf("%d errors, %d warnings, %d bytes, %v", r.Errors, r.Warnings, r.Bytes, err)
	}
	whole(t, s[2], r)
}

// whole checks that the counts of a run match its events.
func whole(t *testing.T, s *postgres.Store, r store.Run) {
	t.Helper()
	page, err := s.Events(t.Context(), everything, store.EventFilter{Runs: store.RunFilter{Repo: r.Repo},
		Where: []store.Condition{{Field: "run_id", Op: store.Equal, Values: []string{fmt.Sprint(r.Serial)}}}})
	if err != nil {
		t.Fatal(err)
	}
	var failed, warned int
	for _, e := range page.Events {
		switch e.Severity {
		case store.SeverityError:
			failed++
		case store.SeverityWarning:
			warned++
		}
	}
	if failed != r.Errors || warned != r.Warnings {
		t.Errorf("run %s counts %d errors and %d warnings, it has %d and %d", r.Ref(), r.Errors, r.Warnings, failed, warned)
	}
}

func TestNoEventComesAfterTheEnd(t *testing.T) {
	t.Parallel()
	s := replicas(t, 2)
	for n := range 30 {
		r, err := s[0].StartRun(t.Context(), run("o/n", fmt.Sprint("attempt-", n)))
		if err != nil {
			t.Fatal(err)
		}
		var added error
		var finished store.Run
		atOnce(2, func(i int) {
			if i == 0 {
				added = s[0].AddEvents(t.Context(), r.Attempt, 0, events(3, 0))
				return
			}
			finished, err = s[1].FinishRun(t.Context(), r.Attempt, store.Finish{Chunks: -1, Batches: -1})
		})
		if err != nil || added != nil && store.CodeOf(added) != store.Conflict {
			t.Fatal(err, added)
		}
		if (added == nil) != (finished.Errors+finished.Warnings == 3) {
			t.Errorf("finished with %d errors, and adding some says %v", finished.Errors, added)
		}
		whole(t, s[0], finished)
	}
}

func TestPruningAndLifeDoNotMix(t *testing.T) {
	t.Parallel()
	s := replicas(t, 3)
	for n := range 20 {
		r, err := s[0].StartRun(t.Context(), run("o/n", fmt.Sprint("attempt-", n)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s[0].OrphanRun(t.Context(), r.Attempt, time.Now()); err != nil {
			t.Fatal(err)
		}
		var pruned [2]store.Pruned
		var errs [3]error
		atOnce(3, func(i int) {
			if i < 2 {
				pruned[i], errs[i] = s[i].Prune(t.Context(), everything, store.Policy{All: true})
				return
			}
			errs[2] = s[2].Heartbeat(t.Context(), r.Attempt, time.Now())
		})
		if errs[0] != nil || errs[1] != nil || errs[2] != nil && store.CodeOf(errs[2]) != store.NotFound {
			t.Fatal(errs)
		}
		if removed := pruned[0].Runs + pruned[1].Runs; removed > 1 || (removed == 1) != (errs[2] != nil) {
			t.Errorf("pruned %d times, and the heartbeat says %v", removed, errs[2])
		}
		if _, err := s[1].FinishRun(t.Context(), r.Attempt, store.Finish{}); (err == nil) != (errs[2] == nil) {
			t.Errorf("finishing says %v after a heartbeat that said %v", err, errs[2])
		}
		if _, err := s[0].Prune(t.Context(), everything, store.Policy{All: true}); err != nil {
			t.Fatal(err)
		}
	}
}
