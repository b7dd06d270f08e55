package deliveries_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/store"
)

// outside is a store that counts its calls. A call during a processor turn counts as failed.
type outside struct {
	db
	store.Blobs
	inTurn *atomic.Int32
	used   *atomic.Int32
	failed *atomic.Int32
}

func (o outside) look() {
	o.used.Add(1)
	if o.inTurn.Load() > 0 {
		o.failed.Add(1)
	}
}

func (o outside) AddChunk(ctx context.Context, attempt string, c store.Chunk) error {
	o.look()
	return o.db.AddChunk(ctx, attempt, c)
}

func (o outside) AddEvents(ctx context.Context, attempt string, batch int, events []store.Event) error {
	o.look()
	return o.db.AddEvents(ctx, attempt, batch, events)
}

func (o outside) FinishRun(ctx context.Context, attempt string, f store.Finish) (store.Run, error) {
	o.look()
	return o.db.FinishRun(ctx, attempt, f)
}

func (o outside) Put(ctx context.Context, key string, data []byte) error {
	o.look()
	return o.Blobs.Put(ctx, key, data)
}

// A log is processed in several turns. No job has a turn while it writes to the store or puts an object.
func TestALogTakesTurns(t *testing.T) {
	onEach(t, func(p *place) {
		var inTurn, turns, used, failed atomic.Int32
		p.turn = func(context.Context) (func(), error) {
			turns.Add(1)
			if inTurn.Add(1) > 1 {
				failed.Add(1)
			}
			return func() { inTurn.Add(-1) }, nil
		}
		o := outside{p.store, p.blobs, &inTurn, &used, &failed}
		p.store, p.blobs = o, o
		p.restart()
		p.github.SetRun(shop, githubtest.Run{ID: 5, HeadSHA: head, Jobs: []githubtest.Job{withErrors(10, 3000)}})
		p.jobEnded(10)
		p.same(p.runs(), []string{"acme/shop@Build-check:1 FAIL 3000"})
		p.same([]int32{inTurn.Load(), failed.Load()}, []int32{0, 0})
		if used.Load() < 6 || turns.Load() < used.Load() {
			p.Errorf("%d turns, and the store was used %d times", turns.Load(), used.Load())
		}
	})
}
