package ingest

import (
	"time"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// rates are the rates of the callers of this replica.
type rates struct {
	requests, bytes, hooks *httpserver.Rate
}

func newRates(l Limits, now func() time.Time) *rates {
	return &rates{
		requests: httpserver.NewRate(l.Requests, l.RequestsBurst, now),
		bytes:    httpserver.NewRate(l.Bytes, l.BytesBurst, now),
		hooks:    httpserver.NewRate(hookBytes, hookBytesBurst, now),
	}
}

// hookBytes are the bytes per second of webhooks from an address, and hookBytesBurst those at once. GitHub sends some
// KB for an event.
const (
	hookBytes      = 8 << 20
	hookBytesBurst = 64 << 20
)

// request counts a request of a caller. RateLimited: there were too many.
func (r *rates) request(p auth.Principal) error { return r.requestOf(string(p.Kind) + " " + p.ID) }

// requestOf is request for a caller with a name.
func (r *rates) requestOf(name string) error {
	after := r.requests.Take(name, 1)
	if after == 0 {
		return nil
	}
	err := store.Errorf(store.RateLimited, "too many requests")
	return store.Later(store.Hint(err, "try again in %v, and send fewer at a time", httpserver.WholeSeconds(after)), after)
}

// body counts a body for a repository. RateLimited: there was too much.
func (r *rates) body(repo string, bytes int64) error {
	return tooMuch(r.bytes.Take(repo, int(bytes)), "for repository "+repo)
}

// deliveries counts the body of a webhook from an address. RateLimited: there was too much.
func (r *rates) deliveries(from string, bytes int64) error {
	return tooMuch(r.hooks.Take(from, int(bytes)), "from this address")
}

// tooMuch returns the error for a body that has to wait, nil for none.
func tooMuch(after time.Duration, what string) error {
	if after == 0 {
		return nil
	}
	err := store.Errorf(store.RateLimited, "too much at a time %s", what)
	return store.Later(store.Hint(err, "try again in %v", httpserver.WholeSeconds(after)), after)
}
