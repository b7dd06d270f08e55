package main

import (
	linked "container/list"
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
)

// capped is a listener with a max number of open connections; 0 means no limit. If this number is reached, a new
// connection replaces an idle connection of one of the networks with the most connections. Before that, a new
// connection from a greedy network (see isGreedy) replaces an idle connection of the same network. In both cases, the
// new connection is refused if no idle connection is found. A refused client gets an answer, because it would otherwise
// wait until its own timeout. The field pace delays connections that come too fast.
type capped struct {
	net.Listener
	maxOpen int
	told    func(open int) // called when the number of open connections changes
	limit   func()         // called for each refused connection
	slots   chan struct{}  // one slot for each refused connection, until it has its answer
	isProxy func(network string) bool
	pace    *pace

	mu    sync.Mutex
	total int
	of    map[string]*network
	sizes map[int]map[*network]bool // networks by number of connections
	most  int                       // number of connections of the network with the most connections
}

// network is an IP network from which connections come.
type network struct {
	name string
	open int
	idle linked.List // connections without a request of a known caller (*counted), in the order of their last requests
}

// maxRefusing is the max number of refused connections that get their answer at the same time.
const maxRefusing = 64

func newCapped(l net.Listener, maxOpen int, isProxy func(network string) bool, told func(int), limit func()) *capped {
	return &capped{
		Listener: l, maxOpen: maxOpen, isProxy: isProxy, told: told, limit: limit, slots: make(chan struct{}, maxRefusing),
		of: map[string]*network{}, sizes: map[int]map[*network]bool{},
	}
}

// busy is the answer to a refused connection.
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

// admit counts a new connection, and returns it with the number of open connections. It returns nil instead of the
// connection if it refuses the connection.
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
		_ = evicted.Conn.Close() // a client whose request arrives at this moment sends it again
	}
	if isOver {
		return nil, n
	}
	return k, n
}

// isGreedy reports whether a network has at least as many connections as the listener can still accept. A proxy's
// network is never greedy, because its connections belong to many clients.
func (c *capped) isGreedy(name string) bool {
	n := c.of[name]
	return n != nil && n.open >= max(1, c.maxOpen-c.total) && !c.isProxy(name)
}

// maxEqual is the max number of networks without an idle connection that ofLargest skips. Many networks may have the
// same number of connections.
const maxEqual = 16

// ofLargest returns an idle connection of one of the networks with the most connections. It returns nil if it finds
// no idle connection.
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

// oldest returns the connection that has been idle for the longest time. It returns nil if no connection is idle.
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

// drop stops counting a connection, which the caller closes.
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

// resize sets a network's number of connections to the parameter open. It also updates the fields sizes and most.
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

// context implements ConnContext of http.Server.
func (c *capped) context(ctx context.Context, conn net.Conn) context.Context {
	if k, ok := conn.(*counted); ok {
		ctx = httpserver.Arriving(ctx, k.arrived.Load)
	}
	return context.WithValue(ctx, connectionKey{}, conn)
}

// handler wraps inner, and records which connections have a request. A request counts when its caller is known (see
// occupied). Until then, a new connection may replace the connection of the request, because anybody can send a request
// whose body never arrives.
func (c *capped) handler(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if k, ok := r.Context().Value(connectionKey{}).(*counted); ok {
			ctx, end := c.begin(r.Context(), k)
			defer end()
			r = r.WithContext(ctx)
		}
		inner.ServeHTTP(w, r)
	})
}

// ongoing is a request on a connection.
type ongoing struct {
	on     *counted
	counts bool // the caller is known, so the connection is not idle
}

type ongoingKey struct{}

// begin begins a request on a connection. The caller of begin calls end after the request.
func (c *capped) begin(ctx context.Context, k *counted) (of context.Context, end func()) {
	o := &ongoing{on: k}
	c.renew(k)
	return context.WithValue(ctx, ongoingKey{}, o), func() {
		if o.counts {
			c.note(k, -1)
		}
	}
}

// renew makes a connection the newest of the idle connections of its network, if it is idle.
func (c *capped) renew(k *counted) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k.network != nil && k.place != nil {
		k.network.idle.MoveToBack(k.place)
	}
}

// occupied marks the connection of a request as no longer idle, because the caller of the request is known. The
// connection becomes idle again after the request.
func occupied(ctx context.Context) {
	if o, ok := ctx.Value(ongoingKey{}).(*ongoing); ok && !o.counts {
		o.counts = true
		o.on.by.note(o.on, 1)
	}
}

// idleWhile marks the connection of a request as idle while wait runs. During that time, a new connection may replace
// the marked connection.
func idleWhile(ctx context.Context, wait func()) {
	if o, ok := ctx.Value(ongoingKey{}).(*ongoing); ok && o.counts {
		o.on.by.note(o.on, -1)
		defer o.on.by.note(o.on, 1)
	}
	wait()
}

func (c *capped) note(k *counted, requests int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k.requests += requests
	switch n := k.network; {
	case n == nil: // the connection is no longer counted
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
		_ = conn.Close() // this connection has had no request
	}
}

// sayBusy waits a little for the request of a refused connection, and then answers it. It reads first, because the
// system resets a connection that is closed with unread bytes, and then the client does not get the answer. A client
// that sends nothing gets no answer.
func sayBusy(conn net.Conn) {
	defer conn.Close()
	if conn.SetDeadline(time.Now().Add(time.Second)) != nil {
		return
	}
	_, _ = conn.Read(make([]byte, 4096)) // if nothing came in time, Write fails as well
	_, _ = conn.Write([]byte(busy))
}

// counted is a connection that counts as open until it is closed or replaced. The lock by.mu guards the fields network,
// place and requests.
type counted struct {
	net.Conn
	by       *capped
	network  *network        // nil if the connection is no longer counted
	place    *linked.Element // element in network.idle, nil while the connection has requests of known callers
	requests int             // number of running requests of known callers

	arrived atomic.Int64 // bytes that have been read
}

// Read implements net.Conn.
func (k *counted) Read(p []byte) (int, error) {
	n, err := k.Conn.Read(p)
	k.arrived.Add(int64(n))
	return n, err
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

// CloseWrite closes the writing side. http.Server calls CloseWrite if it has answered before it has read the whole
// request.
func (k *counted) CloseWrite() error {
	half, ok := k.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}
