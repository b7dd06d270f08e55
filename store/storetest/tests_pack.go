package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/testpack"
)

// of returns a result for each of the given number of tests. The tests are the same in each call.
func (a *adding) of(tests int) []store.TestResult {
	list := make([]store.TestResult, tests)
	for i := range list {
		list[i] = store.TestResult{Attempt: 1, Test: store.Test{Name: fmt.Sprint("test", i)}}
	}
	return list
}

// history returns the number of results of each named test.
func (a *adding) history(names ...string) (n []int) {
	a.Helper()
	for _, name := range names {
		list, err := a.Other.Tests(a.Context(), everything, store.TestFilter{Repo: "o/a", Name: name})
		a.check(err)
		if len(list) != 1 {
			a.Fatalf("%d tests have the name %s", len(list), name)
		}
		past, err := a.Other.TestHistory(a.Context(), everything, list[0])
		a.check(err)
		n = append(n, len(past))
	}
	return n
}

// If a process ends while it packs, no result is lost or stored twice, and the next process continues.
func packedAfterCrashes(t *testing.T, open func() *adding) {
	const each = 2000
	a := open()
	errStop := errors.New("killed")
	var attempts []string
	last := fmt.Sprint("test", each-1)
	stopped := 0
	attempts = append(attempts, a.start("o/a"))
	a.check(a.Other.AddTests(t.Context(), attempts[0], a.of(each))) // stores the names
	for i := 1; i < testpack.Runs+20; i++ {
		attempt := a.start("o/a")
		attempts = append(attempts, attempt)
		begun := i >= testpack.Runs-1
		a.after(func(turn int) error {
			if want := fmt.Sprint([]int{i + 1, i + 1}); begun && fmt.Sprint(a.history("test0", last)) != want {
				t.Errorf("after transaction %d of run %d the tests have %v results, not %v", turn, i, a.history("test0", last),
					want)
			}
			if turn == 2 {
				return errStop
			}
			return nil
		})
		switch err := a.Store.AddTests(t.Context(), attempt, a.of(each)); {
		case errors.Is(err, errStop):
			stopped++
		case err != nil:
			t.Fatal(err)
		}
	}
	if stopped < 6 {
		t.Errorf("packing was stopped only %d times", stopped)
	}
	blocks, err := a.Other.TestBlocks(t.Context(), everything, attempts, true)
	a.check(err)
	for _, b := range blocks {
		if len(b.Results) != each {
			t.Errorf("the run %s has %d results", b.Run, len(b.Results))
		}
	}
}

// Other writers can write while results are packed, even if there are many results.
func othersWriteWhilePacking(t *testing.T, open func() *adding) {
	a := open()
	for range testpack.Runs - 1 {
		a.check(a.Other.AddTests(t.Context(), a.start("o/a"), a.of(3000)))
	}
	turns := 0
	a.after(func(turn int) error {
		turns = turn
		a.check(a.Other.Heartbeat(t.Context(), a.attempt, time.Now()))
		return nil
	})
	a.check(a.Store.AddTests(t.Context(), a.attempt, a.of(3000)))
	if turns < 8 {
		t.Errorf("%d results were packed in %d transactions", testpack.Runs*3000, turns)
	}
}

// After runs are removed while they are packed, their results are gone. Other runs keep their results.
func removedWhilePacking(t *testing.T, open func() *adding) {
	for when := 1; ; when++ {
		a := open()
		for range testpack.Runs - 1 {
			attempt := a.start("o/a")
			a.check(a.Other.AddTests(t.Context(), attempt, a.of(40)))
			a.end(attempt)
		}
		struck := false
		a.after(func(turn int) error {
			if turn == when {
				struck = true
				_, err := a.Other.Prune(t.Context(), everything, store.Policy{KeepPerSource: 5})
				a.check(err)
			}
			return nil
		})
		a.check(a.Store.AddTests(t.Context(), a.attempt, a.of(40)))
		if !struck {
			return
		}
		for range testpack.Runs {
			a.check(a.Other.AddTests(t.Context(), a.start("o/a"), a.of(2)))
		}
		if got, want := fmt.Sprint(a.history("test1", "test39")), fmt.Sprint([]int{testpack.Runs + 6, 6}); got != want {
			t.Errorf("removed after transaction %d: the tests have %v results, not %v", when, got, want)
		}
	}
}

func (a *adding) end(attempt string) {
	a.Helper()
	ok := 0
	_, err := a.Other.FinishRun(a.Context(), attempt, store.Finish{
		Ending: store.Ending{FinishedAt: time.Now(), ExitCode: &ok}, Chunks: -1, Batches: -1})
	a.check(err)
}
