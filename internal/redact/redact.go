// Package redact replaces secrets in text by *** before the text is stored or
// leaves the machine: the values that it is told, in every form in which
// programs print them, those that a job masks while it runs, and tokens known
// by their shape. It may import the standard library only.
package redact

import (
	"io"
	"sync"
	"sync/atomic"
)

// Mask is what stands in the place of a secret.
const Mask = "***"

// Options says what is secret.
type Options struct {
	// Values are secret in all forms; those of less than four bytes are not,
	// because every line holds them.
	Values []string
	// Shapes says whether tokens are known by their shape.
	Shapes bool
}

// Redactor replaces secrets. It is safe for use by many at once.
type Redactor struct {
	set atomic.Pointer[set]

	mu    sync.Mutex
	known map[string]bool // patterns that are in the set
	added int             // bytes of values that were added
}

// mostAdded is how many bytes of values a Redactor learns. Beyond that nobody
// masks secrets any more, but tries how much fits: then nothing is shown.
const mostAdded = 4 << 20

// New returns a Redactor.
func New(o Options) *Redactor {
	r := &Redactor{known: map[string]bool{}}
	r.set.Store(newSet(o.Shapes))
	r.Add(o.Values...)
	return r
}

// Add makes values secret from now on, also for streams that are open.
func (r *Redactor) Add(values ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var fresh []needle
	for _, v := range values {
		if r.added += len(v); r.added > mostAdded {
			r.set.Store(&set{closed: true})
			return
		}
		for _, n := range forms(v) {
			if !r.known[n.text] {
				r.known[n.text] = true
				fresh = append(fresh, n)
			}
		}
	}
	if s := r.set.Load(); len(fresh) > 0 && !s.closed {
		r.set.Store(s.with(fresh))
	}
}

// String returns s without secrets.
func (r *Redactor) String(s string) string {
	out := make([]byte, 0, len(s))
	st := r.Stream(func(text []byte) { out = append(out, text...) })
	st.deaf = true // a command line that masks something has not run yet
	_, _ = st.Write([]byte(s))
	st.Close()
	return string(out)
}

// Reader returns what in holds, without secrets.
func (r *Redactor) Reader(in io.Reader) io.Reader {
	f := &reader{in: in}
	f.stream = r.Stream(func(text []byte) { f.ready = append(f.ready, text...) })
	return f
}

// reader is a stream that is read.
type reader struct {
	in     io.Reader
	stream *Stream
	buf    [32 << 10]byte
	ready  []byte
	err    error
}

func (f *reader) Read(p []byte) (int, error) {
	for len(f.ready) == 0 && f.err == nil {
		var n int
		n, f.err = f.in.Read(f.buf[:])
		_, _ = f.stream.Write(f.buf[:n]) // never fails
		if f.err != nil {
			f.stream.Close()
		}
	}
	if len(f.ready) == 0 {
		return 0, f.err
	}
	n := copy(p, f.ready)
	f.ready = f.ready[:copy(f.ready, f.ready[n:])]
	return n, nil
}
