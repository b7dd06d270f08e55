package httpserver

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/store"
)

// exchange records a request and its response for the log.
type exchange struct {
	id     string
	bounds Bounds
	caller string
	tenant string // tenant for the limits of the request
	memory *fair.Share
	held   holdings
	err    error
	status int // status of the response, 0 before it begins
	in     int64
	out    int64
	clean  func(string) string

	known  func(context.Context) // called when the caller becomes known
	open   *fair.Share           // open requests of tenants, nil for no limit
	opener string                // tenant for which this request counts as open, "" for none
	outer  context.Context       //nolint:containedctx // ends when the client disconnects
	ends   []func()              // end the contexts of the request; see beginWork
}

// endWork ends the contexts of the request.
func (x *exchange) endWork() {
	for _, end := range x.ends {
		end()
	}
}

// beginWork gives a request a new context, which ends after bounds.Work. It keeps the values of the old context.
// Handlers may still use the old context, which ends at its own time.
func (x *exchange) beginWork(r *http.Request) {
	if x.bounds.Work <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), x.bounds.Work)
	forget := context.AfterFunc(x.outer, cancel)
	x.ends = append(x.ends, func() {
		forget()
		cancel()
	})
	*r = *r.WithContext(ctx)
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{clean: asItIs}
}

func asItIs(s string) string { return s }

// RequestID returns the ID of a context's request, or "" for none.
func RequestID(ctx context.Context) string { return exchangeOf(ctx).id }

// BytesIn returns the number of bytes that have been read from the request's body.
func BytesIn(ctx context.Context) int64 { return exchangeOf(ctx).in }

// SetCaller sets the caller of a request for its log line, and the tenant for its limits from now on. Without a
// tenant, the limits of the client's address still apply.
func SetCaller(ctx context.Context, caller, tenant string) {
	x := exchangeOf(ctx)
	if x.caller == "" && caller != "" && x.known != nil {
		x.known(x.outer)
	}
	x.caller, x.tenant = caller, cmp.Or(tenant, x.tenant)
}

// openAgain is the time after which a client tries again if too many of its requests are open.
const openAgain = time.Second

// Occupy counts a request as open for its tenant until it ends. The error is RateLimited if the tenant would have more
// open requests than would be free.
func Occupy(ctx context.Context) error {
	x := exchangeOf(ctx)
	if x.open == nil || x.opener != "" {
		return nil
	}
	if !x.open.Take(x.tenant, 1) {
		err := store.Errorf(store.RateLimited, "too many requests are open")
		return store.Later(store.Hint(err, "send fewer at a time"), openAgain)
	}
	x.opener = x.tenant
	return nil
}

// vacate undoes Occupy.
func (x *exchange) vacate() {
	if x.opener != "" {
		x.open.Give(x.opener, 1)
		x.opener = ""
	}
}

// Tenant returns the tenant for a request's limits. Until the caller is known, the tenant is the client's address.
// Tenant returns "" for work without a request.
func Tenant(ctx context.Context) string { return exchangeOf(ctx).tenant }

// Background returns a context for work that is not a request. The work uses the limits of a tenant. Brief requests
// of all tenants go first.
func Background(ctx context.Context, tenant string) context.Context {
	ctx = taking(ctx, &exchange{clean: asItIs, tenant: tenant})
	fair.Long(ctx)
	return ctx
}

// Shared returns a context for brief work that several requests of a tenant share. The new context does not end with
// ctx. The work uses the limits of the tenant.
func Shared(ctx context.Context, tenant string) context.Context {
	return taking(context.WithoutCancel(ctx), &exchange{clean: asItIs, tenant: tenant})
}

// taking returns a context with an exchange. Fair queues treat all turns in this context as one request.
func taking(ctx context.Context, x *exchange) context.Context {
	ctx = store.Holding(context.WithValue(ctx, exchangeKey{}, x), holdText)
	return store.Pausing(fair.Request(ctx), fair.Pause)
}
