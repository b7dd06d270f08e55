package capture

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Processes that the child leaves behind may hold the pipe open. GitHub's runner does not wait for
// them, and neither does blq: it empties the pipe, goes on until nothing came for the time quiet,
// and stops after the time linger in any case.
const (
	quiet  = 200 * time.Millisecond
	linger = 2 * time.Second
)

// reader copies one pipe to our own output and to the queue.
type reader struct {
	pipe    *os.File
	to      *os.File
	w       *writer
	scratch []byte // for bytes that the queue cannot take
	passErr error  // why writing to "to" failed, nil while it works; read after done

	reads  atomic.Int64
	busy   atomic.Bool // a write to our own output is going on
	ended  atomic.Bool // the child has ended
	halted atomic.Bool
	since  time.Time // when the child ended; read after ended
	once   sync.Once
	done   chan struct{}
}

func newReader(pipe, to *os.File, w *writer) *reader {
	return &reader{pipe: pipe, to: to, w: w, done: make(chan struct{})}
}

// copy runs until the pipe is at its end, our own output has no reader, or the child has ended and
// the pipe is quiet.
func (r *reader) copy() {
	defer r.abandon()
	defer r.pipe.Close()
	emptied := false // all that the child itself wrote has been read
	for !r.halted.Load() {
		buf := r.w.space()
		queued := buf != nil
		if !queued {
			buf = r.spare()
		}
		ended, began := r.ended.Load(), time.Now()
		if ended {
			r.pipe.SetReadDeadline(began.Add(quiet))
		}
		n, err := r.pipe.Read(buf)
		r.reads.Add(1)
		if n > 0 {
			r.w.commit(n, queued)
			if !r.pass(buf[:n]) {
				return
			}
		}
		emptied = emptied || ended && err == nil && n < len(buf)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			// The deadline that was set when the child ended only interrupts the read; it does not
			// mean quiet.
			if ended && time.Since(began) >= quiet {
				return
			}
		case err != nil: // io.EOF, or an error that nothing can be done about
			return
		}
		if emptied && time.Since(r.since) > linger {
			return
		}
	}
}

// pass writes to our own output. It returns false when that has no reader any more: closing the
// pipe then lets the child see the same error as without blq. After any other error the child goes
// on and is still recorded.
func (r *reader) pass(p []byte) bool {
	if r.passErr != nil {
		return true
	}
	r.busy.Store(true)
	_, err := r.to.Write(p)
	r.busy.Store(false)
	if err == nil {
		return true
	}
	if readerGone(err) {
		return false
	}
	r.passErr = err
	return true
}

func (r *reader) spare() []byte {
	if r.scratch == nil {
		r.scratch = make([]byte, blockSize)
	}
	return r.scratch
}

// childEnded starts the quiet period.
func (r *reader) childEnded() {
	r.since = time.Now()
	r.ended.Store(true)
	if r.pipe.SetReadDeadline(time.Now()) != nil {
		go r.watchQuiet()
	}
}

// watchQuiet ends reading on systems without deadlines for pipes. The goroutine that is blocked in
// a read is left behind.
func (r *reader) watchQuiet() {
	const pipeful = 16 // max reads that empty a full pipe
	first := r.reads.Load()
	for seen := int64(-1); ; time.Sleep(quiet) {
		n := r.reads.Load()
		if n == seen && !r.busy.Load() || time.Since(r.since) > linger && n > first+pipeful {
			r.abandon()
			return
		}
		seen = n
	}
}

// stop ends reading at once.
func (r *reader) stop() {
	r.halted.Store(true)
	if r.pipe.SetReadDeadline(time.Now()) != nil {
		r.abandon()
	}
}

// abandon closes done although a goroutine is still reading.
func (r *reader) abandon() { r.once.Do(func() { close(r.done) }) }
