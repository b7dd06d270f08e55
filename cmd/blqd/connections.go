package main

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// capped is a listener with so many connections at a time, 0 for any number.
// One more is told so and closed: who waits in a queue would hear nothing.
type capped struct {
	net.Listener
	most  int
	open  atomic.Int64
	told  func(open int) // of each change
	limit func()         // of each that was refused
	slots chan struct{}  // of those that are told why
}

// mostRefusing is how many connections are told at a time why they are closed.
const mostRefusing = 64

func newCapped(l net.Listener, most int, told func(int), limit func()) *capped {
	return &capped{Listener: l, most: most, told: told, limit: limit, slots: make(chan struct{}, mostRefusing)}
}

// busy is what a connection too many is told.
const busy = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 5\r\nConnection: close\r\n\r\n" +
	`{"error":{"code":"unavailable","message":"this server has as many connections as it can","next_steps":["try again"]}}` + "\n"

// Accept implements net.Listener.
func (c *capped) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		n := c.open.Add(1)
		if c.most == 0 || n <= int64(c.most) {
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
		_ = conn.Close() // it was not used
	}
}

// sayBusy answers what was not asked yet, and waits a little for the question:
// a connection that is closed with unread bytes is reset, and its answer lost.
func sayBusy(conn net.Conn) {
	defer conn.Close()
	if conn.SetDeadline(time.Now().Add(time.Second)) != nil {
		return
	}
	_, _ = conn.Read(make([]byte, 4096)) // who says nothing is told all the same
	_, _ = conn.Write([]byte(busy))
}

// counted is a connection that counts until it is closed.
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

// CloseWrite lets a server end an answer before the question is read.
func (c *counted) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}
