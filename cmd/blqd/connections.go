package main

import (
	linked "container/list"
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
// gets an answer that says so, and is closed. In a queue it would wait without an answer. Connections that come too
// fast wait, see pace.
type capped struct {
	net.Listener
	maxOpen int
	told    func(open int) // of each change
	limit   func()         // of each that was refused
	slots   chan struct{}  // of those that are told why
	isProxy func(network string) bool
	pace    *pace

	mu    sync.Mutex
	total int
	of    map[string]*network
	sizes map[int]map[*network]bool // networks by their number of connections
	most  int                       // the largest number that a network has
}

// network is where connections come from.
type network struct {
	name string
	open int
	idle linked.List // of *counted without a request, in the order in which they became idle
}

// maxRefusing is the max number of connections that are told at a time why they are closed.
const maxRefusing = 64

func newCapped(l net.Listener, maxOpen int, isProxy func(network string) bool, told func(int), limit func()) *capped {
	return &capped{
		Listener: l, maxOpen: maxOpen, isProxy: isProxy, told: told, limit: limit, slots: make(chan struct{}, maxRefusing),
		of: map[string]*network{}, sizes: map[int]map[*network]bool{},
	}
}

// busy is the answer to a connection beyond the limit.
const busy = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 5\r\nConnection: " +
	"close\r\n\r\n" +
	`{"error":{"code":"unavailable","message":"this server has reached its limit of connections","next_steps":["try again"]}}` + "\n"

// Accept implements net.Listener.
func (c *capped) Accept() (net.Conn, error) {
	for {
		conn, err := c.next()
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

// next returns the next connection.
func (c *capped) next() (net.Conn, error) {
	if c.pace == nil {
		return c.Listener.Accept()
	}
	return c.pace.next()
}

// Close implements net.Listener.
func (c *capped) Close() error {
	if c.pace != nil {
		c.pace.stop()
	}
	return c.Listener.Close()
}

// admit counts a connection, nil for one too many, and returns how many are open.
func (c *capped) admit(conn net.Conn) (*counted, int) {
	c.mu.Lock()
	name := httpserver.NetworkOf(conn)
	k := &counted{Conn: conn, by: c}
	var evicted *counted
	switch {
	case c.maxOpen == 0:
	case c.total >= c.maxOpen:
		evicted = c.ofLargest()
	case c.isGreedy(name):
		evicted = c.of[name].oldest()
	}
	if evicted != nil {
		c.drop(evicted)
	}
	isOver := c.maxOpen > 0 && evicted == nil && (c.total >= c.maxOpen || c.isGreedy(name))
	if !isOver {
		c.add(k, name)
	}
	n := c.total
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
func (c *capped) isGreedy(name string) bool {
	n := c.of[name]
	return n != nil && n.open >= max(1, c.maxOpen-c.total) && !c.isProxy(name)
}

// maxEqual is the max number of networks of one size that are asked for an idle connection.
const maxEqual = 16

// ofLargest returns an idle connection of a network with the most connections, nil for none.
func (c *capped) ofLargest() *counted {
	tried := 0
	for n := range c.sizes[c.most] {
		if k := n.oldest(); k != nil || tried == maxEqual {
			return k
		}
		tried++
	}
	return nil
}

// oldest returns the connection that has had no request for the longest time, nil for none.
func (n *network) oldest() *counted {
	if e := n.idle.Front(); e != nil {
		return e.Value.(*counted)
	}
	return nil
}

// add counts a connection of a network.
func (c *capped) add(k *counted, name string) {
	n := c.of[name]
	if n == nil {
		n = &network{name: name}
		c.of[name] = n
	}
	k.network = n
	k.place = n.idle.PushBack(k)
	c.total++
	c.resize(n, n.open+1)
}

// drop uncounts a connection.
func (c *capped) drop(k *counted) {
	n := k.network
	if n == nil {
		return
	}
	if k.place != nil {
		n.idle.Remove(k.place)
	}
	k.network, k.place = nil, nil
	c.total--
	if c.resize(n, n.open-1); n.open == 0 {
		delete(c.of, n.name)
	}
}

// resize records that a network has one connection more or less than before.
func (c *capped) resize(n *network, open int) {
	if delete(c.sizes[n.open], n); len(c.sizes[n.open]) == 0 {
		delete(c.sizes, n.open)
	}
	n.open = open
	if open > 0 {
		if c.sizes[open] == nil {
			c.sizes[open] = map[*network]bool{}
		}
		c.sizes[open][n] = true
	}
	if open > c.most || c.sizes[c.most] == nil {
		c.most = open
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

// idleWhile notes that the connection of a request is idle while wait runs, so that another may take its place.
func idleWhile(ctx context.Context, wait func()) {
	if k, ok := ctx.Value(connectionKey{}).(*counted); ok {
		k.by.note(k, -1)
		defer k.by.note(k, 1)
	}
	wait()
}

func (c *capped) note(k *counted, requests int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k.requests += requests
	switch n := k.network; {
	case n == nil: // it does not count any more
	case k.requests > 0 && k.place != nil:
		n.idle.Remove(k.place)
		k.place = nil
	case k.requests == 0 && k.place == nil:
		k.place = n.idle.PushBack(k)
	}
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
	network  *network        // nil when it does not count any more
	place    *linked.Element // among the idle ones of the network, nil while requests are at work
	requests int             // at work
}

// Close implements net.Conn.
func (k *counted) Close() error {
	c := k.by
	c.mu.Lock()
	counts := k.network != nil
	c.drop(k)
	n := c.total
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
