package query_test

import (
	"context"
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
	f := querytest.New(t)
	blobs := &fetches{Getter: f.Blobs}
	f.Blobs = blobs
	one := f.ForOneQuestion()
	for line := 1; line <= 8; line++ {
		out, err := one.Output(t.Context(), query.OutputParams{Ref: "build:1", From: line, To: line})
		querytest.Check(t, err)
		if out.Returned != 1 {
			t.Errorf("line %d: %+v", line, out)
		}
	}
	if blobs.n != 1 {
		t.Errorf("a log of one part was fetched %d times", blobs.n)
	}
}
