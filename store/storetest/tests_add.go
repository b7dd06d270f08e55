package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/testpack"
)

// Adding is a new database for the contract tests of large additions of test results.
type Adding struct {
	Store, Other store.Store // two stores of the same database
	// TakeTurns sets the function enter. Store calls enter before each transaction, and calls leave after the
	// transaction. If enter returns an error, the transaction fails.
	TakeTurns func(enter func(context.Context) (leave func(), err error))
}

// AddManyTests runs the contract tests of store.Recorder.AddTests with very many tests. The function open returns a new
// database.
func AddManyTests(t *testing.T, open func(t *testing.T) Adding) {
	for name, test := range map[string]func(t *testing.T, open func() *adding){
		"others write while many tests are added":           othersWrite,
		"names that are removed meanwhile are added again":  addedAgain,
		"names count as bytes before the results are added": namesCount,
		"a packing that breaks off anywhere is continued":   packedAfterCrashes,
		"others write while results are packed":             othersWriteWhilePacking,
		"runs may be removed while they are packed":         removedWhilePacking,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func() *adding {
				a := &adding{T: t, Adding: open(t)}
				a.attempt = a.start("o/a")
				return a
			})
		})
	}
}

// many is the number of tests in the runs of these tests. It is so large that one transaction does not store all names.
const many = 12_000

type adding struct {
	*testing.T
	Adding
	attempt string
	runs    int
}

func (a *adding) check(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}

func (a *adding) start(repo string) (attempt string) {
	a.Helper()
	a.runs++
	r, err := a.Other.StartRun(a.Context(), store.Run{Attempt: fmt.Sprintf("01999999-0000-7000-8000-%012x", a.runs),
		Repo: repo, Source: "test", StartedAt: time.Now()})
	a.check(err)
	return r.Attempt
}

// results returns results of tests that no other run has.
func (a *adding) results(tests int) []store.TestResult {
	list := make([]store.TestResult, tests)
	for i := range list {
		list[i] = store.TestResult{Attempt: 1, Test: store.Test{Name: fmt.Sprint("run", a.runs, "-", i)}}
	}
	return list
}

// pack adds results to a repository until the store packs them in a segment. Packing removes tests without results.
func (a *adding) pack(repo string) {
	a.Helper()
	for range testpack.Runs {
		attempt := a.start(repo)
		a.check(a.Other.AddTests(a.Context(), attempt, a.results(1)))
	}
}

// names returns the number of stored names.
func (a *adding) names() int {
	a.Helper()
	list, err := a.Other.Tests(a.Context(), everything, store.TestFilter{Repo: "o/a"})
	a.check(err)
	return len(list)
}

// stored returns the number of results of the run a.attempt, and the number of those whose tests have a name.
func (a *adding) stored() (results, named int) {
	a.Helper()
	blocks, err := a.Other.TestBlocks(a.Context(), everything, []string{a.attempt}, true)
	a.check(err)
	if len(blocks) == 0 {
		return 0, 0
	}
	list, err := a.Other.Tests(a.Context(), everything, store.TestFilter{Repo: "o/a"})
	a.check(err)
	known := map[int64]bool{}
	for _, t := range list {
		known[t.ID] = true
	}
	for _, r := range blocks[0].Results {
		if known[r.Test.ID] {
			named++
		}
	}
	return len(blocks[0].Results), named
}

func (a *adding) bytes() int64 {
	a.Helper()
	u, _, err := a.Other.Usage(a.Context(), "o/a")
	a.check(err)
	return u.Bytes
}

// after calls do after each transaction of Store, with the number of transactions so far. If do returns an error, the
// next transaction fails.
func (a *adding) after(do func(turn int) error) {
	turn := 0
	var failed error
	a.TakeTurns(func(context.Context) (func(), error) {
		return func() {
			turn++
			failed = do(turn)
		}, failed
	})
}

func othersWrite(t *testing.T, open func() *adding) {
	a := open()
	turns, before := 0, 0
	a.after(func(turn int) error {
		turns = turn
		a.check(a.Other.Heartbeat(t.Context(), a.attempt, time.Now()))
		now := a.names()
		if now-before > 1000 {
			t.Errorf("transaction %d stored %d names", turn, now-before)
		}
		if results, _ := a.stored(); results > 0 && before < many {
			t.Errorf("results are visible after transaction %d, before all names were stored", turn)
		}
		before = now
		return nil
	})
	a.check(a.Store.AddTests(t.Context(), a.attempt, a.results(many)))
	if results, named := a.stored(); results != many || named != many {
		t.Errorf("%d results are stored, and %d of them have names", results, named)
	}
	if turns < 3 {
		t.Errorf("others could write only after %d transactions", turns)
	}
}

func addedAgain(t *testing.T, open func() *adding) {
	for when, repo := range map[int]string{1: "o/a", 2: "o/b", 3: "o/a"} {
		a := open()
		results := a.results(many)
		a.after(func(turn int) error {
			if turn == when {
				a.pack(repo)
			}
			return nil
		})
		a.check(a.Store.AddTests(t.Context(), a.attempt, results))
		if results, named := a.stored(); results != many || named != many {
			t.Errorf("%s was packed after transaction %d: %d results are stored, and %d of them have names", repo, when,
				results, named)
		}
	}
}

func namesCount(t *testing.T, open func() *adding) {
	whole := open()
	empty := whole.bytes()
	whole.check(whole.Store.AddTests(t.Context(), whole.attempt, whole.results(many)))

	a := open()
	errStop := errors.New("broken off")
	a.after(func(turn int) error {
		if turn == 2 {
			return errStop
		}
		return nil
	})
	results := a.results(many)
	if err := a.Store.AddTests(t.Context(), a.attempt, results); !errors.Is(err, errStop) {
		t.Fatal(err)
	}
	names, err := a.Other.Tests(t.Context(), everything, store.TestFilter{Repo: "o/a"})
	a.check(err)
	size := int64(0)
	for _, n := range names {
		size += int64(n.Size())
	}
	if len(names) == 0 || len(names) == many || a.bytes()-empty != size {
		t.Errorf("%d names of %d bytes are stored, and %d bytes are counted", len(names), size, a.bytes()-empty)
	}
	a.check(a.Other.AddTests(t.Context(), a.attempt, results))
	if a.bytes() != whole.bytes() {
		t.Errorf("%d bytes are counted after a second try, %d after one call", a.bytes(), whole.bytes())
	}
}
