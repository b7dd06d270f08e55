package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
)

// capped is a listener with a max number of connections, 0 for any. When all are taken, a new connection takes the
// place of an idle one. If none is idle, or if one network holds as many connections as are still free, the new one
// gets an answer that says so, and is closed. In a queue it would wait without an answer.
type capped struct {
	net.Listener
	maxOpen int
	told    func(open int) // of each change
	limit   func()         // of each that was refused
	slots   chan struct{}  // of those that are told why
	isProxy func(network string) bool

	mu   sync.Mutex
	open map[*counted]bool
	of   map[string]int // connections of a network
}

// maxRefusing is the max number of connections that are told at a time why they are closed.
const maxRefusing = 64

func newCapped(l net.Listener, maxOpen int, isProxy func(network string) bool, told func(int), limit func()) *capped {
	return &capped{
		Listener: l, maxOpen: maxOpen, isProxy: isProxy, told: told, limit: limit, slots: make(chan struct{}, maxRefusing),
		open: map[*counted]bool{}, of: map[string]int{},
	}
}

// busy is what a connection too many is told.
const busy = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 5\r\nConnection: " +
	"close\r\n\r\n" +
	`{"error":{"code":"unavailable","message":"this server has reached its limit of connections","next_steps":["try again"]}}` + "\n"

// Accept implements net.Listener.
func (c *capped) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if k, n := c.admit(conn); k != nil {
			c.told(n)
			return k, nil
		}
		c.limit()
		c.refuse(conn)
	}
}

// admit counts a connection, nil for one too many, and returns how many are open.
func (c *capped) admit(conn net.Conn) (*counted, int) {
	c.mu.Lock()
	k := &counted{Conn: conn, by: c, network: httpserver.NetworkOf(conn), since: time.Now()}
	var evicted *counted
	switch {
	case c.maxOpen == 0:
	case len(c.open) >= c.maxOpen:
		evicted = c.oldest(c.largest())
	case c.isGreedy(k.network):
		evicted = c.oldest(k.network)
	}
	if evicted != nil {
		c.drop(evicted)
	}
	isOver := c.maxOpen > 0 && evicted == nil && (len(c.open) >= c.maxOpen || c.isGreedy(k.network))
	if !isOver {
		c.open[k] = true
		c.of[k.network]++
	}
	n := len(c.open)
	c.mu.Unlock()
	if evicted != nil {
		_ = evicted.Conn.Close() // a request that arrives in this moment is sent again by its client
	}
	if isOver {
		return nil, n
	}
	return k, n
}

// isGreedy reports whether a network has as many connections as are free. Those of proxies are
// others' connections.
func (c *capped) isGreedy(network string) bool {
	return c.of[network] >= max(1, c.maxOpen-len(c.open)) && !c.isProxy(network)
}

// largest returns the network with the most connections.
func (c *capped) largest() (network string) {
	for other, n := range c.of {
		if n > c.of[network] {
			network = other
		}
	}
	return network
}

// oldest returns the connection of a network that has had no request for the longest time, nil for
// none.
func (c *capped) oldest(network string) (found *counted) {
	for k := range c.open {
		if k.requests == 0 && k.network == network && (found == nil || k.since.Before(found.since)) {
			found = k
		}
	}
	return found
}

// drop uncounts a connection.
func (c *capped) drop(k *counted) {
	if !c.open[k] {
		return
	}
	delete(c.open, k)
	if c.of[k.network]--; c.of[k.network] == 0 {
		delete(c.of, k.network)
	}
}

type connectionKey struct{}

// context is a http.Server's ConnContext.
func (c *capped) context(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

// handler returns next, and notes which connections have a request. One that sends a header byte by
// byte has none.
func (c *capped) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if k, ok := r.Context().Value(connectionKey{}).(*counted); ok {
			c.note(k, 1)
			defer c.note(k, -1)
		}
		next.ServeHTTP(w, r)
	})
}

func (c *capped) note(k *counted, requests int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k.requests += requests
	k.since = time.Now()
}

func (c *capped) refuse(conn net.Conn) {
	select {
	case c.slots <- struct{}{}:
		go func() {
			defer func() { <-c.slots }()
			sayBusy(conn)
		}()
	default:
		_ = conn.Close() // no request used it
	}
}

// sayBusy answers before any request, and waits a little for the request. Closing a connection with unread bytes
// would reset it, and the answer would be lost.
func sayBusy(conn net.Conn) {
	defer conn.Close()
	if conn.SetDeadline(time.Now().Add(time.Second)) != nil {
		return
	}
	_, _ = conn.Read(make([]byte, 4096)) // a client that sends nothing gets the answer, too
	_, _ = conn.Write([]byte(busy))
}

// counted is a connection that counts until it is closed. Its listener guards the fields.
type counted struct {
	net.Conn
	by       *capped
	network  string
	requests int       // at work
	since    time.Time // when it was opened, or a request began or ended
}

// Close implements net.Conn.
func (k *counted) Close() error {
	c := k.by
	c.mu.Lock()
	counts := c.open[k]
	c.drop(k)
	n := len(c.open)
	c.mu.Unlock()
	if counts {
		c.told(n)
	}
	return k.Conn.Close()
}

// CloseWrite lets a server end an answer before the request is read.
func (k *counted) CloseWrite() error {
	half, ok := k.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}
