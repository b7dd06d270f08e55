package auth

import (
	"context"
	"sync"
	"time"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// Each wrong token costs a lookup in the database or at GitHub. So an address with many wrong tokens is refused at
// once, until the address sends fewer wrong tokens. Tokens that were recently valid are still looked up, because many
// callers may share an address. Their lookups use the limits of the tenant, so a tenant with many addresses has no more
// turns than a tenant with one address.
const (
	guesses       = 50 // max wrong tokens of an address in a row
	guessesAgain  = 2  // further wrong tokens per second
	maxRemembered = 10_000
	rememberedFor = 15 * time.Minute
)

// guards refuses addresses that send many bad tokens.
type guards struct {
	now     func() time.Time
	rate    *httpserver.Rate
	lookups *fair.Queue // limits lookups at the forge, with shares by address

	shared shared // lookups of recently valid tokens

	mu   sync.Mutex
	good map[string]valid // recently valid tokens by hash
}

// valid holds data about a recently valid token. Access to data never depends on it.
type valid struct {
	at     time.Time
	tenant string
}

// lookupsAtOnce is the max number of concurrent lookups at the forge. lookupsWaiting is the max number of waiting
// lookups for each tenant. If the token's tenant is unknown, the address is the tenant.
const (
	lookupsAtOnce  = 16
	lookupsWaiting = 64
)

func newGuards(now func() time.Time) *guards {
	return &guards{
		now: now, rate: httpserver.NewRate(guessesAgain, guesses, now), lookups: fair.NewQueue(lookupsAtOnce, lookupsWaiting),
		good: map[string]valid{},
	}
}

// identify looks up the sender of a token.
type identify func(context.Context) (Principal, error)

// check looks up a token, unless its sender has sent too many bad tokens. A token that was recently valid is always
// looked up. Errors: rate_limited after too many bad tokens, otherwise the errors of the lookup.
func (g *guards) check(ctx context.Context, key string, lookup identify) (Principal, error) {
	from := httpserver.Tenant(ctx)
	tenant, known := g.wasGood(key)
	if !known && from != "" {
		if after := g.rate.Wait(from); after > 0 {
			err := store.Errorf(store.RateLimited, "too many tokens from this address were wrong")
			return Principal{}, store.Later(store.Hint(err, "%s", howToShow), after)
		}
	}
	p, err := g.find(ctx, key, tenant, lookup)
	switch {
	case err == nil:
		g.remember(key, p.Tenant())
	case store.CodeOf(err) == store.Unauthorized:
		g.forget(key)
		if from != "" {
			g.rate.Take(from, 1)
		}
	}
	return p, err
}

// find looks up a token. Requests with a token of a known tenant share lookups.
func (g *guards) find(ctx context.Context, key, tenant string, lookup identify) (Principal, error) {
	if tenant == "" {
		return lookup(ctx)
	}
	return g.shared.get(ctx, key, func() (Principal, error) {
		ctx, cancel := context.WithTimeout(httpserver.Shared(ctx, tenant), callerTimeout)
		defer cancel()
		return lookup(ctx)
	})
}

// wasGood returns the tenant of a token that was recently valid.
func (g *guards) wasGood(key string) (tenant string, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t, ok := g.good[key]
	if !ok || g.now().Sub(t.at) >= rememberedFor {
		return "", false
	}
	return t.tenant, true
}

func (g *guards) remember(key, tenant string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.good[key]; !ok && len(g.good) >= maxRemembered {
		for other := range g.good { // any entry may be removed, because only callers at an address under attack notice it
			delete(g.good, other)
			break
		}
	}
	g.good[key] = valid{g.now(), tenant}
}

func (g *guards) forget(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.good, key)
}
