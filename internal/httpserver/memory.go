package httpserver

import (
	"context"
	"sync"
	"time"

	"github.com/blq-ci/blq/internal/jsonsize"
	"github.com/blq-ci/blq/store"
)

// holdings is the memory that a request holds, by tenant. The tenant of a request changes once the caller is known.
type holdings struct {
	mu    sync.Mutex
	of    map[string]int64
	texts int64 // part of the memory that texts from the store take
}

// Hold reserves n more bytes of memory for a request until the response is finished. The error is TooLarge if the
// request would then hold more than half of all memory. It is Unavailable if the tenant would hold more memory than
// would be free.
func Hold(ctx context.Context, n int64) error {
	x := exchangeOf(ctx)
	if x.take(n) {
		return nil
	}
	if x.holding()+n > x.memory.Limit()/2 { // waiting does not help
		err := store.Errorf(store.TooLarge, "this request needs more memory than this server has for a caller")
		return store.Hint(err, "send or ask for less at a time")
	}
	err := store.Hint(store.Errorf(store.Unavailable, "this server receives as much as it can at a time"), "try again")
	return Busy(store.Later(err, time.Second))
}

// take reserves memory, and reports whether the tenant may have it.
func (x *exchange) take(n int64) bool {
	if x.memory == nil || n <= 0 {
		return true
	}
	if !x.memory.Take(x.tenant, n) {
		return false
	}
	x.held.mu.Lock()
	defer x.held.mu.Unlock()
	if x.held.of == nil {
		x.held.of = map[string]int64{}
	}
	x.held.of[x.tenant] += n
	return true
}

// holding returns the memory that the request holds for its tenant.
func (x *exchange) holding() int64 {
	x.held.mu.Lock()
	defer x.held.mu.Unlock()
	return x.held.of[x.tenant]
}

// give releases n bytes of memory before the end of the request.
func (x *exchange) give(n int64) {
	x.held.mu.Lock()
	defer x.held.mu.Unlock()
	if n = min(n, x.held.of[x.tenant]); n > 0 {
		x.held.of[x.tenant] -= n
		x.memory.Give(x.tenant, n)
	}
}

// release releases the memory of the request.
func (x *exchange) release() {
	x.held.mu.Lock()
	defer x.held.mu.Unlock()
	for tenant, n := range x.held.of {
		x.memory.Give(tenant, n)
	}
	x.held.of = nil
}

// Detach returns a context for work that continues after the response to a request. The work belongs to the tenant of
// the request, and keeps the memory that the request holds. The caller calls release at the end of the work.
func Detach(ctx context.Context) (detached context.Context, release func()) {
	x := exchangeOf(ctx)
	x.held.mu.Lock()
	defer x.held.mu.Unlock()
	y := &exchange{id: x.id, clean: x.clean, caller: x.caller, tenant: x.tenant, memory: x.memory}
	y.held.of, x.held.of = x.held.of, nil
	return taking(context.WithoutCancel(ctx), y), y.release
}

// maxValues is the max number of values and keys in the JSON of a body that is decoded once. No client needs that many.
const maxValues = 400_000

// HoldJSON reserves the memory that a JSON text takes when it is decoded the given number of times. A short text may
// have very many values. The error is TooLarge if the values and keys of all decodings together are more than
// maxValues. Other errors are those of Hold.
func HoldJSON(ctx context.Context, text []byte, times int) error {
	if n := jsonsize.Values(text); n > maxValues/times {
		err := store.Errorf(store.TooLarge, "the JSON has %d values and keys; it may have %d", n, maxValues/times)
		return store.Hint(err, "send less at a time")
	}
	return Hold(ctx, int64(times)*jsonsize.Memory(text))
}

// perText is the memory that a text from the store takes until it is sent, as a multiple of its size. The text is in
// memory as a row, as a part of the answer, and as JSON in a buffer that grows.
const perText = 4

// holdText reserves memory for n bytes of texts that a request reads from the store. If n is negative,
// it releases the memory of -n bytes. The error is TooLarge if the texts of this request alone need
// more than a caller may have. It is Unavailable if there is no memory for them now. The result short
// is true if there is an error, or if the request has taken more than half of what a caller may have.
func holdText(ctx context.Context, n int64) (short bool, err error) {
	x := exchangeOf(ctx)
	n *= perText
	if n < 0 {
		x.give(-n)
	} else if !x.take(n) {
		return true, x.noMemory(n)
	}
	x.held.mu.Lock()
	defer x.held.mu.Unlock()
	x.held.texts += n
	return x.memory != nil && x.held.texts > x.memory.Limit()/4, nil
}

// noMemory returns the error for texts that need n more bytes of memory.
func (x *exchange) noMemory(n int64) error {
	x.held.mu.Lock()
	defer x.held.mu.Unlock()
	if x.held.texts+n > x.memory.Limit()/2 { // a caller that takes memory in parts gets at most half
		err := store.Errorf(store.TooLarge, "the texts of this answer need more memory than this server has for a caller")
		return store.Hint(err, "ask for fewer at a time: set a smaller limit")
	}
	err := store.Errorf(store.Unavailable, "this server answers as much as it can at a time")
	return Busy(store.Later(store.Hint(err, "try again"), time.Second))
}
