package capture

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	blockSize   = 128 << 10
	minSpace    = 32 << 10 // min free bytes of a block that are worth a read
	maxSegments = 1 << 14  // limits the list when streams alternate byte by byte
	hiccup      = 200 * time.Millisecond
)

// block is a piece of memory for output. One writer fills a block, and segments point into the block. A block is free
// when neither its writer nor a segment uses it.
type block struct {
	buf  []byte
	refs int
}

// segment is a piece of output of one stream. Segments are kept in the order they were read.
type segment struct {
	stream   Stream
	block    *block
	off, end int
}

// queue separates reading from recording. Output waits in blocks of memory. When half of the memory is used, output
// goes through a file, and still comes out in order. When memory and file are full, output is dropped and counted.
type queue struct {
	mu       sync.Mutex
	segments []segment
	blocks   int // number of blocks allocated
	limit    int
	free     chan *block
	closed   bool
	spill    *spill // nil when only memory is used
	spilling bool   // the sink reads from the file until the file is empty

	wake      chan struct{} // wakes deliver
	read      atomic.Int64
	delivered atomic.Int64
	gaveUp    atomic.Bool
	cause     error // why output was lost; guarded by mu
}

func newQueue(memory int, dir string, spillMax int64) *queue {
	q := &queue{limit: max(memory/blockSize, 4), wake: make(chan struct{}, 1)}
	q.free = make(chan *block, q.limit)
	if dir != "" {
		q.spill = newSpill(q, dir, spillMax)
	}
	return q
}

// writer is the write end of the queue for one stream.
type writer struct {
	q       *queue
	stream  Stream
	block   *block
	fill    int
	stalled bool // after the last wait there was still no memory
}

func (q *queue) writer(stream Stream) *writer { return &writer{q: q, stream: stream} }

// space returns memory to read into, or nil when there is none.
func (w *writer) space() []byte {
	if w.block != nil && blockSize-w.fill < minSpace {
		w.q.mu.Lock()
		w.q.release(w.block)
		w.q.mu.Unlock()
		w.block = nil
	}
	if w.block == nil {
		if w.block = w.take(); w.block == nil {
			return nil
		}
		w.fill = 0
	}
	return w.block.buf[w.fill:]
}

// take returns a block, or nil. While output goes to the file, memory soon becomes free. So take waits once for a
// short time before output is lost.
func (w *writer) take() *block {
	b, wait := w.q.take()
	if b == nil && wait && !w.stalled {
		timer := time.NewTimer(hiccup)
		defer timer.Stop()
		select {
		case b = <-w.q.free:
			b.refs = 1
		case <-timer.C:
		}
	}
	w.stalled = b == nil
	return b
}

// take returns a free block, or a new block. If no block is free and the queue has its max number of blocks, take
// returns nil and reports whether a block is expected soon.
func (q *queue) take() (b *block, expected bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case b = <-q.free:
		b.refs = 1
	default:
		if q.blocks == q.limit {
			return nil, q.spill != nil && q.spill.usable()
		}
		q.blocks++
		b = &block{buf: make([]byte, blockSize), refs: 1}
	}
	return b, false
}

// release ends one use of a block. The caller holds mu.
func (q *queue) release(b *block) {
	if b.refs--; b.refs == 0 {
		q.free <- b
	}
}

// commit adds n bytes to the queue. The caller has read the bytes into the memory that space returned. If queued is
// false, the caller has read them into other memory, and they count as lost. They also count as lost if the queue has
// too many segments.
func (w *writer) commit(n int, queued bool) {
	q := w.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.read.Add(int64(n))
	if !queued || len(q.segments) >= maxSegments && !w.extends() {
		q.because(errFull)
		return
	}
	if w.extends() {
		q.segments[len(q.segments)-1].end += n
	} else {
		w.block.refs++
		q.segments = append(q.segments, segment{w.stream, w.block, w.fill, w.fill + n})
	}
	w.fill += n
	if q.spill != nil && !q.spilling && q.crowded() && q.spill.open() {
		q.spilling = true
	}
	if q.spilling {
		q.spill.notify()
	}
	q.notify()
}

// extends reports whether the next bytes continue the last segment.
func (w *writer) extends() bool {
	segs := w.q.segments
	if len(segs) == 0 {
		return false
	}
	last := segs[len(segs)-1]
	return last.block == w.block && last.stream == w.stream && last.end == w.fill
}

func (q *queue) crowded() bool {
	return q.blocks-len(q.free) > q.limit/2 || len(q.segments) > maxSegments/2
}

func (q *queue) notify() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) because(err error) {
	if q.cause == nil || errors.Is(q.cause, errFull) {
		q.cause = err
	}
}

// pop removes up to n segments from the front. The caller holds mu.
func (q *queue) pop(n int) []segment {
	n = min(n, len(q.segments))
	out := q.segments[:n:n]
	q.segments = q.segments[n:]
	return out
}

// close marks the end of the output.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.notify()
}

// deliver passes the output to the sink until the queue is closed and empty, or until giveUp is called. After an error
// of the sink, deliver discards the output.
func (q *queue) deliver(sink Sink) {
	defer q.endSpill()
	var failed error
	hand := func(stream Stream, p []byte) {
		if failed == nil {
			if failed = call(sink, stream, p); failed == nil {
				q.delivered.Add(int64(len(p)))
				return
			}
			q.mu.Lock()
			q.cause = failed
			q.mu.Unlock()
		}
	}
	for !q.gaveUp.Load() {
		q.mu.Lock()
		switch {
		case q.spilling && q.spill.pending():
			q.mu.Unlock()
			q.spill.read(hand)
		case q.spilling && q.spill.caughtUp():
			q.spilling = false
			q.mu.Unlock()
		case !q.spilling && len(q.segments) > 0:
			s := q.pop(1)[0]
			q.mu.Unlock()
			hand(s.stream, s.block.buf[s.off:s.end])
			q.mu.Lock()
			q.release(s.block)
			q.mu.Unlock()
		case q.closed && !q.spilling:
			q.mu.Unlock()
			return
		default:
			q.mu.Unlock()
			<-q.wake
		}
	}
}

// call calls the sink and turns a panic into an error, so that the step continues.
func call(sink Sink, stream Stream, p []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return sink(stream, p)
}

func (q *queue) endSpill() {
	if q.spill != nil {
		q.spill.close()
	}
}

// progress returns a number that changes whenever output moves.
func (q *queue) progress() int64 {
	n := q.delivered.Load()
	if q.spill != nil {
		n += q.spill.moved.Load()
	}
	return n
}

// giveUp stops waiting for the sink.
func (q *queue) giveUp(why error) {
	q.gaveUp.Store(true)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.because(why)
	q.notify()
}

// account returns the number of read bytes, the number of bytes that the sink did not get, and a sentence with the
// reason.
func (q *queue) account() (read, lost int64, why string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	read = q.read.Load()
	if lost = read - q.delivered.Load(); lost > 0 {
		why = fmt.Sprintf("%d of %d bytes of output were not recorded: %v", lost, read, q.cause)
	}
	return read, lost, why
}
