package main

import (
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
)

// arrivals is a listener whose connections arrive when the test says so.
type arrivals struct {
	net.Listener
	conns chan net.Conn
}

func (a arrivals) Accept() (net.Conn, error) {
	if conn, ok := <-a.conns; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

// watchedConn is a connection that adds 1 to closed when it is closed.
type watchedConn struct {
	conn
	closed *atomic.Int64
}

func (c watchedConn) Close() error {
	c.closed.Add(1)
	return nil
}

func TestConnectionsThatComeTooFastWait(t *testing.T) {
	t.Parallel()
	l := arrivals{conns: make(chan net.Conn)}
	p := newPace(l, 1, func(n string) bool { return n == "10.0.0.9" })
	var closed atomic.Int64
	arrive := func(n int, from string) {
		for range n {
			l.conns <- watchedConn{conn{from: from + ":5"}, &closed}
		}
	}
	served := make(chan string)
	go func() {
		defer close(served)
		for {
			c, err := p.next()
			if err != nil {
				return
			}
			served <- c.RemoteAddr().String()
		}
	}()
	take := func(n int, want string) {
		t.Helper()
		for range n {
			if from := <-served; from != want+":5" {
				t.Fatalf("%s is served, want %s", from, want)
			}
		}
	}
	const flood = 200
	go arrive(ownBurst+1, "1.2.3.4") // one more uses the rate of all networks
	take(ownBurst+1, "1.2.3.4")
	go func() {
		arrive(flood, "1.2.3.4")
		arrive(1, "5.6.7.8")
		arrive(3, "10.0.0.9")
	}()
	of := map[string]int{}
	for of["5.6.7.8:5"] == 0 || of["10.0.0.9:5"] < 3 {
		of[<-served]++
	}
	if n := of["1.2.3.4:5"]; n > flood/2 {
		t.Errorf("others are served after %d of %d", n, flood)
	}
	p.stop()
	close(l.conns)
	for from := range served {
		of[from]++
	}
	if n := int(closed.Load()) + of["1.2.3.4:5"]; n != flood {
		t.Errorf("%d of %d were served or closed", n, flood)
	}
	if _, err := p.next(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

func TestTheLargestNetworkGivesUpItsOldestConnection(t *testing.T) {
	t.Parallel()
	c := newCapped(nil, 6, func(string) bool { return true }, func(int) {}, func() {})
	admit := func(from string) *counted {
		k, _ := c.admit(conn{from: from + ":5"})
		return k
	}
	large := []*counted{admit("1.1.1.1"), admit("1.1.1.1"), admit("1.1.1.1"), admit("1.1.1.1")}
	small := []*counted{admit("2.2.2.2"), admit("3.3.3.3")}
	c.note(large[0], 1)
	c.note(large[1], 1)
	c.note(large[1], -1) // idle, but since later than the others
	for i, gone := range []*counted{large[2], large[3]} {
		if k := admit(fmt.Sprint("4.4.4.", i)); k == nil || gone.network != nil || c.total != 6 {
			t.Fatalf("%d: a connection of the largest network is not the one that went, %d are open", i, c.total)
		}
	}
	for i := range 3 {
		if k := admit("5.5.5.5"); k == nil {
			t.Fatalf("%d: no room", i)
		}
	}
	for _, k := range append(large, small...) {
		_ = k.Close()
		_ = k.Close()
	}
	if large[0].network != nil || c.total < 0 || len(c.of) > c.total {
		t.Errorf("%d connections of %d networks are left", c.total, len(c.of))
	}
}
