package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/blq-ci/blq/internal/unnamed"
)

var (
	errFull        = errors.New("recording fell behind")
	errStalled     = errors.New("recording stood still")
	errInterrupted = errors.New("recording was interrupted")
)

const (
	headerSize = 5 // stream and length
	spillBatch = 8 // segments written before their memory is freed
)

var streamCodes = []Stream{Combined, Stdout, Stderr}

// spill is the queue's file. One goroutine appends output to the file, so that a slow disk blocks neither the child nor
// the sink. The goroutine of deliver reads the file from its beginning. The file has no name if the system supports
// that.
type spill struct {
	q    *queue
	dir  string
	max  int64
	file *os.File
	kick chan struct{}

	// These fields are guarded by q.mu.
	begun   bool
	stopped bool
	busy    bool // a batch is being written
	bad     bool // writing failed; the file takes no output until all of it has been read
	start   int64
	end     int64

	moved atomic.Int64 // bytes written, for progress
	buf   []byte       // used only by deliver's goroutine
}

func newSpill(q *queue, dir string, limit int64) *spill {
	return &spill{q: q, dir: dir, max: limit, kick: make(chan struct{}, 1)}
}

// The caller of the next five functions must hold q.mu.

// open starts the goroutine that writes the file, if it has not begun. It returns false if the spill has been stopped.
func (s *spill) open() bool {
	if s.stopped {
		return false
	}
	if !s.begun {
		s.begun = true
		go s.write()
	}
	return true
}

func (s *spill) usable() bool   { return !s.bad && !s.stopped }
func (s *spill) pending() bool  { return s.start < s.end }
func (s *spill) caughtUp() bool { return s.start == s.end && !s.busy && s.rewind() }

// rewind marks the file as empty. The next batch truncates the file. rewind always returns true.
func (s *spill) rewind() bool {
	s.start, s.end, s.bad = 0, 0, false
	return true
}

func (s *spill) notify() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// write moves batches of segments from memory to the file until the queue ends.
func (s *spill) write() {
	q := s.q
	w := bufio.NewWriterSize(nil, 64<<10)
	for {
		q.mu.Lock()
		if s.stopped {
			q.mu.Unlock()
			if s.file != nil {
				unnamed.Discard(s.file)
			}
			return
		}
		var batch []segment
		if q.spilling && s.usable() {
			batch = q.pop(spillBatch)
		}
		s.busy = len(batch) > 0
		at := s.end
		q.mu.Unlock()
		if len(batch) == 0 {
			q.notify()
			<-s.kick
			continue
		}
		n, err := s.append(w, at, batch)
		q.mu.Lock()
		s.busy = false
		if err != nil {
			s.bad = true
			q.because(fmt.Errorf("recording fell behind and the disk did not help: %w", err))
			q.segments = append(batch, q.segments...)
		} else {
			s.end += n
			for _, seg := range batch {
				q.release(seg.block)
			}
		}
		q.notify()
		q.mu.Unlock()
	}
}

// append writes the batch at an offset, and returns the number of written bytes.
func (s *spill) append(w *bufio.Writer, at int64, batch []segment) (n int64, err error) {
	if s.file == nil {
		if s.file, err = unnamed.Create(s.dir, ".blq-spill-*"); err != nil {
			return 0, err
		}
	}
	if at == 0 {
		if err := s.file.Truncate(0); err != nil {
			return 0, err
		}
	}
	for _, seg := range batch {
		n += headerSize + int64(seg.end-seg.off)
	}
	if at+n > s.max {
		return 0, fmt.Errorf("limit of %d bytes reached", s.max)
	}
	w.Reset(io.NewOffsetWriter(s.file, at))
	for _, seg := range batch {
		var header [headerSize]byte
		for i, stream := range streamCodes {
			if stream == seg.stream {
				header[0] = byte(i)
			}
		}
		binary.LittleEndian.PutUint32(header[1:], uint32(seg.end-seg.off))
		_, _ = w.Write(header[:])
		_, _ = w.Write(seg.block.buf[seg.off:seg.end]) // bufio keeps the error until Flush
		s.moved.Add(int64(seg.end - seg.off))
	}
	return n, w.Flush()
}

// read passes the next records of the file to the function hand. It runs in the goroutine of deliver.
func (s *spill) read(hand func(Stream, []byte)) {
	s.q.mu.Lock()
	off, end := s.start, s.end
	s.q.mu.Unlock()
	if s.buf == nil {
		s.buf = make([]byte, 2*(headerSize+blockSize))
	}
	n, err := s.file.ReadAt(s.buf[:min(int64(len(s.buf)), end-off)], off)
	used := 0
	for n-used >= headerSize {
		head, body := s.buf[used:], used+headerSize
		next := body + int(binary.LittleEndian.Uint32(head[1:]))
		if next > n {
			break // the next piece has the remaining bytes of the record
		}
		hand(streamCodes[head[0]], s.buf[body:next])
		used = next
	}
	s.q.mu.Lock()
	defer s.q.mu.Unlock()
	s.start += int64(used)
	if used == 0 {
		s.q.cause = fmt.Errorf("read back what waited on disk: %w", err)
		s.start = s.end
	}
}

// close closes the file when nobody writes to it any more.
func (s *spill) close() {
	s.q.mu.Lock()
	defer s.q.mu.Unlock()
	s.stopped = true
	s.notify()
}
