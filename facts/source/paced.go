package source

import (
	"io"
	"sync"
	"time"
)

// paced reads a body, and ends a slow fetch. A fetch is slow if fewer than limits.MinBytes bytes arrive in an interval
// of the length limits.Stall.
type paced struct {
	from   io.Reader
	limits Limits
	end    func()

	mu    sync.Mutex
	timer *time.Timer
	bytes int64 // bytes since the last check
	slow  bool
}

func newPaced(from io.Reader, limits Limits, end func()) *paced {
	p := &paced{from: from, limits: limits, end: end}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(limits.Stall, p.look)
	return p
}

func (p *paced) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes += int64(n)
	return n, err
}

// look ends the fetch if too few bytes have arrived since the last check.
func (p *paced) look() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes < p.limits.MinBytes {
		p.slow = true
		p.end()
		return
	}
	p.bytes = 0
	p.timer.Reset(p.limits.Stall)
}

// reason returns the cause of a read error: errSlow if the fetch was ended as too slow, or else the error itself.
func (p *paced) reason(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.slow {
		return errSlow
	}
	return err
}
