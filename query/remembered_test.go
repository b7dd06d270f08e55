package query_test

import (
	"context"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store/chunk"
)

// fetches counts the objects that are fetched.
type fetches struct {
	chunk.Getter
	n int
}

func (b *fetches) Get(ctx context.Context, key string) ([]byte, error) {
	b.n++
	return b.Getter.Get(ctx, key)
}

// The errors of a report are near each other in the log. Unpacking the same part of the log for each of them takes time
// and memory.
func TestAPartOfALogIsUnpackedOnceForAQuestion(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Add(t, querytest.Run{Source: "build", Exit: 1, Log: querytest.Lines(strings.Repeat("x", 100), 30_000)})
	blobs := &fetches{Getter: f.Blobs}
	f.Blobs = blobs
	one := f.ForOneQuestion()
	for line := 11; line <= 18; line++ {
		out, err := one.Output(t.Context(), query.OutputParams{Ref: "build:1", From: line, To: line})
		querytest.Check(t, err)
		if out.Returned != 1 {
			t.Errorf("line %d: %+v", line, out)
		}
	}
	if blobs.n != 2 {
		t.Errorf("the first and the last part of a log were fetched %d times", blobs.n)
	}
}
