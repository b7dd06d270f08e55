package main

import (
	"net"
	"sync"
	"time"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/internal/httpserver"
)

// pace limits how many new connections per second are served. A new connection costs far more than a request. Each
// network may open a few connections per second. In addition, all networks together may open a larger number. All other
// connections wait, and nothing is read from them. A connection is closed only if too many connections wait, because a
// client whose connection is closed could open the next connection at once. Each network has its own queue of waiting
// connections, and the queues take turns.
type pace struct {
	listener net.Listener
	exempt   func(network string) bool // whether a network belongs to the operator's own proxies
	own, all *httpserver.Rate
	waits    *fair.Share

	ready chan accepted
	done  chan struct{}
	once  sync.Once

	mu    sync.Mutex
	lines map[string][]net.Conn
	turns []string      // networks with a queue of waiting connections; the queue of the first network is next
	wake  chan struct{} // gets a value when a queue gets its first connection
}

// accepted is an accepted connection, or the error of the listener.
type accepted struct {
	net.Conn
	err error
}

const (
	ownConnections = 3  // connections per second that each network may open at any time
	ownBurst       = 10 // connections that a network may open at once
	maxPaced       = 4096
	paceStep       = 10 * time.Millisecond
)

// newPace returns the pace for a listener. All networks together may open perSecond connections per second, in addition
// to the few connections that each network may always open. The function exempt reports whether a network has no limit.
func newPace(l net.Listener, perSecond int, exempt func(network string) bool) *pace {
	return &pace{
		listener: l, exempt: exempt, own: httpserver.NewRate(ownConnections, ownBurst, time.Now),
		all:   httpserver.NewRate(float64(perSecond), perSecond, time.Now),
		waits: fair.NewShare(maxPaced), ready: make(chan accepted), done: make(chan struct{}),
		lines: map[string][]net.Conn{}, wake: make(chan struct{}, 1),
	}
}

// next returns the next connection that may be served.
func (p *pace) next() (net.Conn, error) {
	p.once.Do(func() {
		go p.accept()
		go p.release()
	})
	select {
	case a := <-p.ready:
		return a.Conn, a.err
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// stop closes all waiting connections.
func (p *pace) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.done:
		return
	default:
	}
	close(p.done)
	for _, line := range p.lines {
		for _, conn := range line {
			_ = conn.Close() // the connection has not been used
		}
	}
	p.lines, p.turns = map[string][]net.Conn{}, nil
}

// accept accepts connections until the listener is closed.
func (p *pace) accept() {
	for {
		conn, err := p.listener.Accept()
		if err == nil && !p.mayBegin(conn) {
			p.park(conn)
			continue
		}
		if !p.serve(accepted{conn, err}) {
			return
		}
	}
}

// serve passes a connection or an error to a caller of next. If the listener is closed, serve closes the connection and
// returns false.
func (p *pace) serve(a accepted) bool {
	select {
	case p.ready <- a:
		return true
	case <-p.done:
		if a.Conn != nil {
			_ = a.Conn.Close() // the connection has not been used
		}
		return false
	}
}

// mayBegin reports whether a connection may begin at once.
func (p *pace) mayBegin(conn net.Conn) bool {
	from := httpserver.NetworkOf(conn)
	if p.exempt(from) {
		return true
	}
	p.mu.Lock()
	waits := len(p.lines[from]) > 0
	p.mu.Unlock()
	return !waits && (p.own.Take(from, 1) == 0 || p.all.Take("", 1) == 0)
}

// park puts a connection at the end of its network's queue. It closes the connection if the queue is too long, or if
// the listener is closed.
func (p *pace) park(conn net.Conn) {
	from := httpserver.NetworkOf(conn)
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.done:
		_ = conn.Close() // the connection has not been used
		return
	default:
	}
	if !p.waits.Take(from, 1) {
		_ = conn.Close() // the connection has not been used
		return
	}
	if len(p.lines[from]) == 0 {
		p.turns = append(p.turns, from)
	}
	p.lines[from] = append(p.lines[from], conn)
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// release lets waiting connections begin at the allowed rate.
func (p *pace) release() {
	for {
		select {
		case <-p.wake:
		case <-p.done:
			return
		}
		for p.waiting() {
			select {
			case <-time.After(paceStep):
			case <-p.done:
				return
			}
			for conn := p.pop(); conn != nil; conn = p.pop() {
				if !p.serve(accepted{Conn: conn}) {
					return
				}
			}
		}
	}
}

// waiting reports whether any connection waits.
func (p *pace) waiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.turns) > 0
}

// pop returns the next connection that may begin now, and removes it from its network's queue. It
// returns nil if no connection may begin now.
func (p *pace) pop() net.Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.turns) == 0 || p.all.Take("", 1) != 0 {
		return nil
	}
	from := p.turns[0]
	line := p.lines[from]
	conn := line[0]
	p.waits.Give(from, 1)
	if p.turns = p.turns[1:]; len(line) > 1 {
		p.lines[from] = line[1:]
		p.turns = append(p.turns, from)
	} else {
		delete(p.lines, from)
	}
	return conn
}
