package main

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// capped is a listener with a limit on open connections; 0 is no limit. A connection beyond the limit gets an
// answer and is closed, because a client in a queue would wait without an answer.
type capped struct {
	net.Listener
	maxOpen int
	open    atomic.Int64
	told    func(open int) // called with the number at each change
	limit   func()         // called for each refused connection
	slots   chan struct{}  // slots for refused connections that get an answer
}

// maxRefusing is how many refused connections get an answer at a time.
const maxRefusing = 64

func newCapped(l net.Listener, maxOpen int, told func(int), limit func()) *capped {
	return &capped{Listener: l, maxOpen: maxOpen, told: told, limit: limit, slots: make(chan struct{}, maxRefusing)}
}

// busy is the answer to a connection beyond the limit.
const busy = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 5\r\nConnection: close\r\n\r\n" +
	`{"error":{"code":"unavailable","message":"this server has reached its limit of connections","next_steps":["try again"]}}` + "\n"

// Accept implements net.Listener.
func (c *capped) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		n := c.open.Add(1)
		if c.maxOpen == 0 || n <= int64(c.maxOpen) {
			c.told(int(n))
			return &counted{Conn: conn, of: c}, nil
		}
		c.open.Add(-1)
		c.limit()
		c.refuse(conn)
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

// counted is a connection that is counted until it is closed.
type counted struct {
	net.Conn
	of   *capped
	once sync.Once
}

// Close implements net.Conn.
func (c *counted) Close() error {
	c.once.Do(func() { c.of.told(int(c.of.open.Add(-1))) })
	return c.Conn.Close()
}

// CloseWrite lets a server end an answer before the request is read.
func (c *counted) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}
