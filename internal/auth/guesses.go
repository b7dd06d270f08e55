package auth

import (
	"context"
	"sync"
	"time"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// Each wrong token costs a question to the database or to GitHub. So an address that sent many is refused
// at once, until it sends fewer. Tokens that were valid a while ago are still looked up, because there may
// be many callers behind an address.
const (
	guesses       = 50 // tokens in a row that an address may get wrong
	guessesAgain  = 2  // that it may get wrong a second after that
	maxRemembered = 10_000
	rememberedFor = 15 * time.Minute
)

// guards refuses addresses that send many bad tokens.
type guards struct {
	now     func() time.Time
	rate    *httpserver.Rate
	lookups *fair.Queue // of the forge, shared by address

	mu   sync.Mutex
	good map[string]time.Time // hashes of tokens that were valid
}

// lookupsAtOnce is the max number of tokens that the forge is asked about at the same time, and
// lookupsWaiting the max number that wait for each address.
const (
	lookupsAtOnce  = 16
	lookupsWaiting = 64
)

func newGuards(now func() time.Time) *guards {
	return &guards{
		now: now, rate: httpserver.NewRate(guessesAgain, guesses, now), lookups: fair.NewQueue(lookupsAtOnce, lookupsWaiting),
		good: map[string]time.Time{},
	}
}

// check looks a token up, unless its sender had too many bad ones. Errors: rate_limited in that case, and the errors of
// lookup.
func (g *guards) check(ctx context.Context, key string, lookup func() (Principal, error)) (Principal, error) {
	from := httpserver.Tenant(ctx)
	known := g.wasGood(key)
	if !known && from != "" {
		if after := g.rate.Wait(from); after > 0 {
			err := store.Errorf(store.RateLimited, "too many tokens from this address were wrong")
			return Principal{}, store.Later(store.Hint(err, "%s", howToShow), after)
		}
	}
	p, err := lookup()
	switch {
	case err == nil:
		g.remember(key)
	case store.CodeOf(err) == store.Unauthorized:
		g.forget(key)
		if from != "" {
			g.rate.Take(from, 1)
		}
	}
	return p, err
}

func (g *guards) wasGood(key string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	at, ok := g.good[key]
	return ok && g.now().Sub(at) < rememberedFor
}

func (g *guards) remember(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.good[key]; !ok && len(g.good) >= maxRemembered {
		for other := range g.good { // any: it makes a difference to an attacked address alone
			delete(g.good, other)
			break
		}
	}
	g.good[key] = g.now()
}

func (g *guards) forget(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.good, key)
}
