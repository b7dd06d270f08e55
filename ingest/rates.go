package ingest

import (
	"time"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// rates limits the rates of callers. Each replica has rates of its own.
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

// hookBytes is the number of bytes of webhooks that an address may send per second. hookBytesBurst is the number
// that it may send at once. GitHub sends a few KB per event.
const (
	hookBytes      = 8 << 20
	hookBytesBurst = 64 << 20
)

// request counts a request of a caller. The error is RateLimited if the caller has sent too many requests.
func (r *rates) request(p auth.Principal) error { return r.requestOf(string(p.Kind) + " " + p.ID) }

// requestOf counts a request of the caller with a name. The error is RateLimited if the caller has sent too many
// requests.
func (r *rates) requestOf(name string) error {
	after := r.requests.Take(name, 1)
	if after == 0 {
		return nil
	}
	err := store.Errorf(store.RateLimited, "too many requests")
	return store.Later(store.Hint(err, "try again in %v, and send fewer at a time", httpserver.WholeSeconds(after)), after)
}

// body counts the bytes of a body for a repository. The error is RateLimited if the repository has received too many
// bytes.
func (r *rates) body(repo string, bytes int64) error {
	return tooMuch(r.bytes.Take(repo, int(bytes)), "for repository "+repo)
}

// deliveries counts the bytes of a webhook from an address. The error is RateLimited if the address has sent too many
// bytes.
func (r *rates) deliveries(from string, bytes int64) error {
	return tooMuch(r.hooks.Take(from, int(bytes)), "from this address")
}

// tooMuch returns the error for a body that has to wait. It returns nil if the wait is 0.
func tooMuch(after time.Duration, what string) error {
	if after == 0 {
		return nil
	}
	err := store.Errorf(store.RateLimited, "too much at a time %s", what)
	return store.Later(store.Hint(err, "try again in %v", httpserver.WholeSeconds(after)), after)
}
