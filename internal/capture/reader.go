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
// and stops after the time linger in any case. From then on another process reads the pipe.
const (
	quiet  = 200 * time.Millisecond
	linger = time.Second

	maxHeld = 1 << 20 // bytes that a pipe or a terminal holds
)

// reader copies one pipe to our own output and to the queue.
type reader struct {
	pipe    *os.File
	to      *os.File
	w       *writer
	scratch []byte // for bytes that the queue cannot take
	quiet   time.Duration
	passErr error // why writing to "to" failed, nil while it works; read after done

	reads  atomic.Int64
	busy   atomic.Bool // a write to our own output is going on
	ended  atomic.Bool // the child has ended
	halted atomic.Bool
	gone   atomic.Bool // our own output has no reader any more
	held   atomic.Bool // the pipe was left open, because other processes may write to it
	since  time.Time   // when the child ended; read after ended
	once   sync.Once
	done   chan struct{}
}

func newReader(pipe, to *os.File, w *writer) *reader {
	return &reader{pipe: pipe, to: to, w: w, quiet: quiet, done: make(chan struct{})}
}

// copy runs until the pipe is at its end, our own output has no reader, or the child has ended and
// the pipe is quiet. In the last case the pipe stays open, and held is set.
func (r *reader) copy() {
	defer r.abandon()
	if r.read() {
		r.held.Store(true)
	} else {
		r.pipe.Close()
	}
}

// read does the work of copy and reports whether others still hold the pipe.
func (r *reader) read() bool {
	go r.watchOutput()
	emptied := false // all that the child itself wrote has been read
	filled := false  // something is there to be read
	rest := 0        // bytes that were read since the child ended
	for !r.halted.Load() {
		buf := r.w.space()
		queued := buf != nil
		if !queued {
			buf = r.spare()
		}
		ended, began := r.ended.Load(), time.Now()
		switch {
		case ended && filled:
			r.pipe.SetReadDeadline(time.Time{})
		case ended:
			r.pipe.SetReadDeadline(began.Add(r.quiet))
		}
		n, err := r.pipe.Read(buf)
		r.reads.Add(1)
		if n > 0 {
			r.w.commit(n, queued)
			if !r.pass(buf[:n]) {
				return false
			}
		}
		if r.gone.Load() {
			return false
		}
		if ended {
			rest += n
			emptied = emptied || rest > maxHeld || err == nil && n < len(buf) && !readable(r.pipe)
		}
		filled = false
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			// The deadline that was set when the child ended only interrupts the read; it does not mean quiet. Neither
			// does a later deadline on a busy machine: it may have passed before the read began, and the read then
			// fails although the pipe is full.
			if ended && time.Since(began) >= r.quiet {
				if filled = readable(r.pipe); !filled {
					return true
				}
			}
		case err != nil: // io.EOF, or an error that nothing can be done about
			return false
		}
		if emptied && time.Since(r.since) > linger {
			return true
		}
	}
	return true
}

// watchEvery is how often watchOutput sees whether it is still needed.
const watchEvery = 500 * time.Millisecond

// watchOutput waits until our own output has no reader. The pipe is then closed at once, so that the
// child's next write fails, as it does without blq.
func (r *reader) watchOutput() {
	if !anonymous(r.to) {
		return // a pipe with a name gets other readers
	}
	for gone := false; !gone; {
		select {
		case <-r.done:
			return
		default:
		}
		var err error
		if gone, err = awaitUnread(r.to, watchEvery); err != nil {
			return
		}
	}
	r.gone.Store(true)
	r.pipe.SetReadDeadline(time.Now())
}

// pass writes to our own output. It returns false when that has no reader any more: closing the
// pipe then lets the child see the same error as without blq. After any other error the child goes
// on and is still recorded, but does not pass, see Run.
func (r *reader) pass(p []byte) bool {
	if r.passErr != nil {
		return true
	}
	r.busy.Store(true)
	err := writeOut(r.to, p)
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

// writeOut writes to a file that another process may have put into non-blocking mode.
func writeOut(f *os.File, p []byte) error {
	for {
		n, err := f.Write(p)
		if err == nil || !awaitWritable(f, err) {
			return err
		}
		p = p[n:]
	}
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
	w := stillness{first: r.reads.Load(), ended: r.since}
	for !w.over(r.reads.Load(), r.busy.Load(), time.Now()) {
		time.Sleep(quiet)
	}
	r.abandon()
}

// stillness tells when a pipe is quiet by the number of its reads alone. It takes longer than where
// a system tells whether a pipe has something: a reader that a busy machine lets wait does not read,
// either.
type stillness struct {
	first, seen int64     // reads when the child ended, and at the last look
	ended, read time.Time // when the child ended, and of the last look that saw a read
}

// over reports whether reading may end: nothing was read for the time linger, or others go on
// writing when all that the child wrote has been read.
func (s *stillness) over(reads int64, busy bool, now time.Time) bool {
	const pipeful = 16 // max reads that empty a full pipe
	if reads != s.seen || busy || s.read.IsZero() {
		s.seen, s.read = reads, now
	}
	return now.Sub(s.read) >= linger || now.Sub(s.ended) > linger && reads > s.first+pipeful
}

// stop ends reading at once, also when our own output takes nothing.
func (r *reader) stop() {
	r.halted.Store(true)
	if r.pipe.SetReadDeadline(time.Now()) != nil || r.busy.Load() {
		r.abandon()
	}
}

// abandon closes done although a goroutine is still reading.
func (r *reader) abandon() { r.once.Do(func() { close(r.done) }) }
