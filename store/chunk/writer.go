package chunk

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/store"
)

// Adder is the part of store.Recorder that a Writer needs.
type Adder interface {
	AddChunk(ctx context.Context, attempt string, c store.Chunk) error
}

// Putter is the part of store.Blobs that a Writer needs.
type Putter interface {
	Put(ctx context.Context, key string, data []byte) error
}

// Writer divides the streams of one attempt's log into chunks, and stores the chunks. Several goroutines may call its
// methods.
type Writer struct {
	store   Adder
	blobs   Putter
	attempt string

	mu      sync.Mutex
	encoder *zstd.Encoder
	streams map[string]*stream
	order   []*stream
	next    int
	pending *pending
}

// stream is a stream of a log, with the text that is not yet in a chunk.
type stream struct {
	name  string
	buf   []byte
	bytes int64 // bytes of text in stored chunks
	lines int   // line ends in stored chunks
	open  bool  // the last chunk ended in the middle of a line
}

// pending is a chunk that may or may not be stored. A retry must send the same object, because the store may have
// stored the chunk although its response was lost.
type pending struct {
	chunk  store.Chunk
	object []byte
	stream *stream
}

// NewWriter returns a Writer for an attempt that has no chunks yet.
func NewWriter(s Adder, blobs Putter, attempt string) (*Writer, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(Size))
	if err != nil {
		return nil, fmt.Errorf("start compressor: %w", err)
	}
	return &Writer{store: s, blobs: blobs, attempt: attempt, encoder: e, streams: make(map[string]*stream)}, nil
}

// Write adds text to a stream, and stores the chunks that become full. It returns the number of bytes that it has
// accepted. After an error, the caller may write the remaining bytes again.
func (w *Writer) Write(ctx context.Context, streamName string, text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.streams[streamName]
	if s == nil {
		s = &stream{name: streamName}
		w.streams[streamName] = s
		w.order = append(w.order, s)
	}
	taken := 0
	for len(text) > 0 {
		if len(s.buf) == Size {
			if err := w.cut(ctx, s, s.fullCut()); err != nil {
				return taken, err
			}
		}
		n := min(len(text), Size-len(s.buf))
		s.buf = append(s.buf, text[:n]...)
		text = text[n:]
		taken += n
	}
	return taken, nil
}

// fullCut returns the position at which to cut a full buffer. This is the position after the last line end in the
// second half of the buffer. If there is none, it is the end of the buffer.
func (s *stream) fullCut() int {
	if i := bytes.LastIndexByte(s.buf[Size/2:], '\n'); i >= 0 {
		return Size/2 + i + 1
	}
	return Size
}

// Flush stores everything that was written so far. After an error, the caller may call Flush again.
func (w *Writer) Flush(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.send(ctx); err != nil {
		return err
	}
	for _, s := range w.order {
		for len(s.buf) > 0 {
			if err := w.cut(ctx, s, len(s.buf)); err != nil {
				return err
			}
		}
	}
	return nil
}

// cut stores the first n bytes of a stream's buffer as a chunk.
func (w *Writer) cut(ctx context.Context, s *stream, n int) error {
	if w.pending != nil {
		of := w.pending.stream
		if err := w.send(ctx); err != nil || of == s {
			return err
		}
	}
	text := s.buf[:n]
	object := w.encoder.EncodeAll(text, nil)
	c := store.Chunk{
		Sequence:  w.next,
		Stream:    s.name,
		FirstLine: s.lines + 1,
		Lines:     bytes.Count(text, []byte{'\n'}),
		Offset:    s.bytes,
		Bytes:     int64(n),
		Stored:    int64(len(object)),
		Digest:    digest(object),
		At:        time.Now(),
	}
	c.Key = Key(w.attempt, c.Sequence, c.Digest)
	w.pending = &pending{chunk: c, object: object, stream: s}
	return w.send(ctx)
}

// send stores the pending chunk, if there is one, and removes its text from the buffer.
func (w *Writer) send(ctx context.Context) error {
	p := w.pending
	if p == nil {
		return nil
	}
	if err := w.blobs.Put(ctx, p.chunk.Key, p.object); err != nil {
		return fmt.Errorf("store log: %w", err)
	}
	if err := w.store.AddChunk(ctx, w.attempt, p.chunk); err != nil {
		return fmt.Errorf("store log: %w", err)
	}
	n := int(p.chunk.Bytes)
	p.stream.open = p.stream.buf[n-1] != '\n'
	p.stream.buf = p.stream.buf[:copy(p.stream.buf, p.stream.buf[n:])]
	p.stream.bytes += p.chunk.Bytes
	p.stream.lines += p.chunk.Lines
	w.next++
	w.pending = nil
	return nil
}

// Chunks returns the number of stored chunks.
func (w *Writer) Chunks() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.next
}

// Lines returns the number of lines that were written to all streams, including unfinished last lines.
func (w *Writer) Lines() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	total := 0
	for _, s := range w.order {
		total += s.lines + bytes.Count(s.buf, []byte{'\n'})
		unfinished := s.open
		if len(s.buf) > 0 {
			unfinished = s.buf[len(s.buf)-1] != '\n'
		}
		if unfinished {
			total++
		}
	}
	return total
}
