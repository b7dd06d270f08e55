package httpserver

import (
	"cmp"
	"context"
	"time"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/store"
)

// exchange holds the facts of a request and its answer for the log.
type exchange struct {
	id     string
	bounds Bounds
	caller string
	tenant string // whose share of memory the request takes
	memory *fair.Share
	held   []holding
	err    error
	status int // of the answer, 0 before it began
	in     int64
	out    int64
	clean  func(string) string
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{clean: asItIs}
}

func asItIs(s string) string { return s }

// RequestID returns the ID of the request that a context belongs to, "" for none.
func RequestID(ctx context.Context) string { return exchangeOf(ctx).id }

// BytesIn returns how many bytes of the request's body have been read so far.
func BytesIn(ctx context.Context) int64 { return exchangeOf(ctx).in }

// SetCaller notes who sent the request, for its log line, and whose share of what callers share it
// takes from now on. Without a tenant it is still that of the client's address.
func SetCaller(ctx context.Context, caller, tenant string) {
	x := exchangeOf(ctx)
	x.caller, x.tenant = caller, cmp.Or(tenant, x.tenant)
}

// Tenant returns the tenant whose share a request uses: that of its caller, or the client's address until the
// caller is known. It returns "" for work without a request.
func Tenant(ctx context.Context) string { return exchangeOf(ctx).tenant }

// Background returns the context of work that is not a request: it takes the share of a tenant, after the brief
// requests of the tenant.
func Background(ctx context.Context, tenant string) context.Context {
	ctx = taking(ctx, &exchange{clean: asItIs, tenant: tenant})
	fair.Long(ctx)
	return ctx
}

// taking returns a context in which an exchange takes turns.
func taking(ctx context.Context, x *exchange) context.Context {
	return store.Pausing(fair.Request(context.WithValue(ctx, exchangeKey{}, x)), fair.Pause)
}

// holding is memory that a tenant holds.
type holding struct {
	tenant string
	bytes  int64
}

// Hold notes that a request keeps n bytes more in memory until it is answered. Unavailable: the
// tenant holds its share already.
func Hold(ctx context.Context, n int64) error {
	x := exchangeOf(ctx)
	if x.memory == nil || n <= 0 {
		return nil
	}
	if !x.memory.Take(x.tenant, n) {
		err := store.Hint(store.Errorf(store.Unavailable, "this server receives as much as it can at a time"), "try again")
		return Busy(store.Later(err, time.Second))
	}
	x.held = append(x.held, holding{x.tenant, n})
	return nil
}

// release gives back what the request held.
func (x *exchange) release() {
	for _, h := range x.held {
		x.memory.Give(h.tenant, h.bytes)
	}
	x.held = nil
}
