package capture

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Processes that the child leaves behind may hold the pipe open, and blq must not wait for their end. So blq stops
// reading when the child has ended, the pipe is empty, and nothing new has arrived for the duration quiet. If these
// processes still write after the duration linger, blq stops when it has read all output of the child itself. Then
// another process reads the pipe.
const (
	quiet  = 200 * time.Millisecond
	linger = time.Second

	maxHeld = 1 << 20 // bytes that fit into a pipe or a terminal
)

// reader copies one pipe to our own output and to the queue.
type reader struct {
	pipe    *os.File
	to      *os.File
	w       *writer
	scratch []byte // for bytes that do not fit into the queue
	quiet   time.Duration
	passErr error // the error of writing to "to", nil while writing works; read after done

	reads  atomic.Int64
	busy   atomic.Bool // a write to our own output is in progress
	ended  atomic.Bool // the child has ended
	halted atomic.Bool
	gone   atomic.Bool // our own output has no reader any more
	held   atomic.Bool // the pipe stayed open, because other processes may write to it
	since  time.Time   // end of the child; read after ended
	once   sync.Once
	done   chan struct{}
}

func newReader(pipe, to *os.File, w *writer) *reader {
	return &reader{pipe: pipe, to: to, w: w, quiet: quiet, done: make(chan struct{})}
}

// copy copies until the pipe ends or our own output has no reader. It then closes the pipe. After the end of the child,
// copy also ends if the pipe is quiet, or if other processes still write after the time linger. A call of stop ends
// copy at once. In these last three cases, the pipe stays open, and held is set.
func (r *reader) copy() {
	defer r.abandon()
	if r.read() {
		r.held.Store(true)
	} else {
		r.pipe.Close()
	}
}

// read does the work of copy. It reports whether the pipe must stay open, because other processes may still write to
// it.
func (r *reader) read() bool {
	go r.watchOutput()
	emptied := false // all output of the child itself has been read
	filled := false  // the pipe has something to read
	rest := 0        // bytes read since the end of the child
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
			// A failed read does not always mean that the pipe is quiet. The deadline at the end of the child only
			// interrupts the read. On a busy machine a later deadline may pass before the read begins, and the read
			// then fails although the pipe is full.
			if ended && time.Since(began) >= r.quiet {
				if filled = readable(r.pipe); !filled {
					return true
				}
			}
		case err != nil: // io.EOF, or an error that cannot be handled
			return false
		}
		if emptied && time.Since(r.since) > linger {
			return true
		}
	}
	return true
}

// watchEvery is the interval at which watchOutput checks whether it is still needed.
const watchEvery = 500 * time.Millisecond

// watchOutput waits until our own output has no reader. It then interrupts the read, so that copy closes the pipe at
// once. So the child's next write fails, as it does without blq.
func (r *reader) watchOutput() {
	if !anonymous(r.to) {
		return // a named pipe can get new readers
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

// pass writes to our own output. It returns false if our output has no reader any more. The pipe is then closed, so
// that the child sees the same error as without blq. After any other error the child continues and is still recorded,
// but its run counts as failed (see Run).
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

// writeOut writes to a file. Another process may have put the file into non-blocking mode, so writeOut waits whenever
// the file accepts no more bytes.
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

// watchQuiet ends reading on systems without deadlines for pipes. It leaves behind the goroutine that is blocked in a
// read.
func (r *reader) watchQuiet() {
	w := stillness{first: r.reads.Load(), ended: r.since}
	for !w.over(r.reads.Load(), r.busy.Load(), time.Now()) {
		time.Sleep(quiet)
	}
	r.abandon()
}

// stillness detects that a pipe is quiet by counting the reads. It is used on systems without deadlines for pipes. It
// needs more time than a deadline, because a busy machine may also delay the reader.
type stillness struct {
	first, seen int64     // number of reads when the child ended, and at the last check
	ended, read time.Time // time when the child ended, and time of the last check that saw a new read
}

// over reports whether reading may end. Reading may end if nothing was read for the time linger, or if only other
// processes still write.
func (s *stillness) over(reads int64, busy bool, now time.Time) bool {
	const pipeful = 16 // max reads to empty a full pipe
	if reads != s.seen || busy || s.read.IsZero() {
		s.seen, s.read = reads, now
	}
	return now.Sub(s.read) >= linger || now.Sub(s.ended) > linger && reads > s.first+pipeful
}

// stop ends reading at once, even while a write to our own output blocks.
func (r *reader) stop() {
	r.halted.Store(true)
	if r.pipe.SetReadDeadline(time.Now()) != nil || r.busy.Load() {
		r.abandon()
	}
}

// abandon closes done, so that nobody waits for the reader any more. The goroutine of the reader may still be reading.
func (r *reader) abandon() { r.once.Do(func() { close(r.done) }) }
