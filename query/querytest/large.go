package querytest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

// Errors returns n errors with the numbers start, start+1, and so on. They look like errors of a compiler, a linter
// and a test runner. Their files are in 97 directories. Each error has its own fingerprint. Errors with the same seed
// and number are equal.
func Errors(start, n, seed int) []store.Event {
	list := make([]store.Event, n)
	for i := range list {
		id := start + i
		e := store.Event{
			ID: id, Severity: store.SeverityError, File: fmt.Sprintf("src/module%d/file%d.c", id%97, id%1009),
			Line: id%5000 + 1, Column: 7, Tool: "gcc", Category: store.CategoryCompile,
			Message: fmt.Sprintf("'symbol_%d_%d' undeclared (first use in %s)", seed, id, word(id%100)),
			LogLine: 3*id + 1, LogLineEnd: 3*id + 2,
		}
		switch id % 10 {
		case 7:
			e.Tool, e.Category, e.Code = "eslint", store.CategoryLint, "no-undef"
		case 8:
			e.Tool, e.Category, e.Test = "pytest", store.CategoryTest, fmt.Sprintf("test_%d_%d", seed, id)
			e.Message = "AssertionError: a total of the order that is not what was expected"
		case 9:
			e.Tool, e.Category, e.Test = "pytest", store.CategoryTest, fmt.Sprintf("test_%d_%d", seed, id)
			e.Message = "assert 1 == 2"
		}
		e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
		list[i] = e
	}
	return list
}

// word returns a number below 10,000 in letters.
func word(n int) string {
	return string([]byte{byte('a' + n%10), byte('a' + n/10%10), byte('a' + n/100%10), byte('a' + n/1000%10)})
}

// AddErrors stores a run of the source test with the errors 1..n, and returns the run. The errors 1..old have the seed
// 0. The later errors have the given seed.
func AddErrors(t testing.TB, to store.Store, name string, n, old, seed int) store.Run {
	t.Helper()
	const batch = 20_000
	ctx := context.Background()
	r, err := to.StartRun(ctx, store.Run{Attempt: "large-" + name, Source: "test", Command: "make -j8",
		StartedAt: epoch, Git: store.Git{Branch: "main"}})
	Check(t, err)
	batches := 0
	for id := 1; id <= n; id += batch {
		end := min(n+1, id+batch)
		cut := max(id, min(end, old+1))
		list := append(Errors(id, cut-id, 0), Errors(cut, end-cut, seed)...)
		Check(t, to.AddEvents(ctx, r.Attempt, batches, list))
		batches++
	}
	exit := min(n, 1)
	r, err = to.FinishRun(ctx, r.Attempt, store.Finish{
		Ending: store.Ending{FinishedAt: epoch.Add(time.Minute), ExitCode: &exit}, Batches: batches})
	Check(t, err)
	return r
}
