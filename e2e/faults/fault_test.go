//go:build linux

package faults

import (
	"bytes"
	"io"
	"log"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// quiet discards the log of servers and proxies whose connections are expected to fail.
var quiet = log.New(io.Discard, "", 0)

// victim is the process or connection that a fault ends.
type victim string

const (
	theServer victim = "server"
	theClient victim = "client"
	theWire   victim = "wire"
)

// moment is the part of a request in which a fault strikes.
type moment int

const (
	within   moment = iota // after a part of the body
	working                // shortly after the body, while the server works on it
	answered               // between the server's answer and the client
	moments
)

// fault ends a process or connection during one request of an upload.
type fault struct {
	victim  victim
	request int // number of the request, counted from 1
	moment  moment
	part    float64 // fraction of the body, or of the server's time for the request

	once   sync.Once
	strike func() // ends the victim
	struck chan struct{}
	armed  atomic.Bool // the fault is about to strike

	first sync.Once
	begun chan struct{} // closed when the first chunk is acknowledged
}

// newFault returns a random fault for an upload with a number of requests.
func newFault(r *rand.Rand, requests int) *fault {
	return &fault{
		victim:  []victim{theServer, theServer, theClient, theClient, theWire}[r.IntN(5)],
		moment:  moment(r.IntN(int(moments))),
		request: 1 + r.IntN(requests), part: r.Float64(),
		struck: make(chan struct{}), begun: make(chan struct{}),
	}
}

// none returns a fault that never strikes.
func none() *fault { return &fault{struck: make(chan struct{}), begun: make(chan struct{})} }

func (f *fault) hit() {
	f.once.Do(func() {
		f.strike()
		close(f.struck)
	})
}

// happened reports whether the fault struck.
func (f *fault) happened() bool {
	select {
	case <-f.struck:
		return true
	default:
		return false
	}
}

// settle waits until the fault has struck, if it is about to strike.
func (f *fault) settle() {
	if f.armed.Load() {
		<-f.struck
	}
}

// answered is called before the client gets the answer. If the fault's moment is answered, the fault strikes now. The
// result is whether the answer must get lost.
func (f *fault) answered() bool {
	if f == nil || f.moment != answered {
		return false
	}
	f.hit()
	return f.victim == theWire
}

// longestWork is about how long the server needs for a request.
const longestWork = 30 * time.Millisecond

// tapped is the body of a request. It records the bytes that are read. A fault may strike while the body is read, or
// shortly after.
type tapped struct {
	io.ReadCloser
	*fault
	size int64
	text bytes.Buffer
}

func (b *tapped) Read(text []byte) (int, error) {
	if b.fault != nil && b.moment == within {
		left := int64(b.part*float64(b.size)) - int64(b.text.Len())
		if left <= 0 {
			b.hit()
		} else {
			text = text[:min(int64(len(text)), left)]
		}
	}
	n, err := b.ReadCloser.Read(text)
	b.text.Write(text[:n])
	if b.fault != nil && b.moment == working && int64(b.text.Len()) == b.size && !b.armed.Swap(true) {
		// How far the server gets until then is random.
		time.AfterFunc(time.Duration(b.part*float64(longestWork)), b.hit)
	}
	return n, err
}
