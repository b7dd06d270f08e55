package chunk

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"sort"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/store"
)

// maxLine is the max number of bytes of a line that a Reader returns. If a line is longer, Line.Cut is true. WriteTo
// and WriteFrom do not cut long lines.
const maxLine = 64 << 10

// Lister is the part of store.Reader that a Reader needs.
type Lister interface {
	Chunks(ctx context.Context, sc store.Scope, attempt, stream string, from, to int) ([]store.Chunk, error)
}

// Getter is the part of store.Blobs that a Reader needs.
type Getter interface {
	Get(ctx context.Context, key string) ([]byte, error)
}

// Line is a line of a log, without its line end.
type Line struct {
	Number int // 1-based
	Text   string
	Cut    bool // the line is longer than maxLine
	Open   bool // the last line has no line end, so it may grow
}

// Reader reads a stream of a run's log. It fetches only the chunks that it needs. While the run goes on, it reads the
// chunks that have arrived.
type Reader struct {
	store   Lister
	blobs   Getter
	scope   store.Scope
	attempt string
	stream  string
	recent  *Texts // cache of texts, nil for none
}

// NewReader returns a Reader for a stream of a run. The stream "" means the combined stream.
func NewReader(s Lister, blobs Getter, sc store.Scope, r store.Run, stream string) *Reader {
	return &Reader{store: s, blobs: blobs, scope: sc, attempt: r.Attempt, stream: stream}
}

// Recent sets a cache for the chunks of small reads. It returns the same reader.
func (r *Reader) Recent(t *Texts) *Reader {
	r.recent = t
	return r
}

// few is the max number of chunks of a small read. Only small reads add texts to the cache, because a whole log is
// seldom read again soon.
const few = 2

// texts yields the chunks with their texts. A text is valid only until the next chunk is yielded.
func (r *Reader) texts(ctx context.Context, chunks []store.Chunk) iter.Seq2[store.Chunk, textOrError] {
	return func(yield func(store.Chunk, textOrError) bool) {
		u := unpacker{Reader: r, keep: len(chunks) <= few}
		defer u.close()
		for _, c := range chunks {
			if t := u.text(ctx, c); !yield(c, t) || t.err != nil {
				return
			}
		}
	}
}

// unpacker fetches and unpacks chunks one after the other.
type unpacker struct {
	*Reader
	keep    bool
	decoder *zstd.Decoder // nil until a chunk must be decompressed
	buf     []byte        // reused for each text, but not if the cache keeps the texts
	folded  []byte        // reused for the text in lower case of each searched chunk
}

func (u *unpacker) close() {
	if u.decoder != nil {
		u.decoder.Close()
	}
}

type textOrError struct {
	text []byte
	err  error
}

func (u *unpacker) text(ctx context.Context, c store.Chunk) textOrError {
	if text, ok := u.recent.get(c); ok {
		return textOrError{text: text}
	}
	text, err := u.fetch(ctx, c)
	if err != nil {
		return textOrError{err: fmt.Errorf("read log: %w", err)}
	}
	if u.recent != nil && u.keep {
		u.recent.put(c, text)
		u.buf = nil
	} else {
		u.buf = text
	}
	return textOrError{text: text}
}

func (u *unpacker) fetch(ctx context.Context, c store.Chunk) ([]byte, error) {
	object, err := u.blobs.Get(ctx, c.Key)
	if err == nil && u.decoder == nil {
		u.decoder, err = newDecoder()
	}
	if err != nil {
		return nil, err
	}
	return unpack(u.decoder, u.buf, c, object)
}

// WriteTo writes the stream to w, byte for byte.
func (r *Reader) WriteTo(ctx context.Context, w io.Writer) (int64, error) {
	chunks, err := r.store.Chunks(ctx, r.scope, r.attempt, r.stream, 1, 0)
	if err != nil {
		return 0, err
	}
	var total int64
	for _, t := range r.texts(ctx, chunks) {
		if t.err != nil {
			return total, t.err
		}
		n, err := w.Write(t.text)
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// WriteFrom writes the log from an offset in bytes. It stops at the end of a chunk when it has written at least limit
// bytes. It returns the offset of the next byte.
func (r *Reader) WriteFrom(ctx context.Context, w io.Writer, offset, limit int64) (int64, error) {
	chunks, err := r.store.Chunks(ctx, r.scope, r.attempt, r.stream, 1, 0)
	if err != nil {
		return offset, err
	}
	first := sort.Search(len(chunks), func(i int) bool { return chunks[i].Offset+chunks[i].Bytes > offset })
	end := offset + limit
	for c, t := range r.texts(ctx, chunks[first:]) {
		if t.err != nil {
			return offset, t.err
		}
		n, err := w.Write(t.text[max(0, offset-c.Offset):])
		if offset += int64(n); err != nil || offset >= end {
			return offset, err
		}
	}
	return offset, nil
}

// Scan yields the lines from..to, both inclusive. If the parameter to is 0, Scan continues to the end of the log. It
// holds one chunk in memory at a time, and stops at the first error.
func (r *Reader) Scan(ctx context.Context, from, to int) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		chunks, err := r.store.Chunks(ctx, r.scope, r.attempt, r.stream, from, to)
		if err != nil {
			yield(Line{}, err)
			return
		}
		r.scan(ctx, chunks, from, to, yield)
	}
}

func (r *Reader) scan(ctx context.Context, chunks []store.Chunk, from, to int, yield func(Line, error) bool) {
	var carry joiner
	for c, t := range r.texts(ctx, chunks) {
		if t.err != nil {
			yield(Line{}, t.err)
			return
		}
		number, text := c.FirstLine, t.text
		if skipped := skip(&text, from-number); skipped > 0 {
			carry, number = joiner{text: carry.text[:0]}, number+skipped
		}
		for len(text) > 0 && (to == 0 || number <= to) {
			i := bytes.IndexByte(text, '\n')
			if i < 0 {
				carry.add(text)
				break
			}
			carry.add(text[:i])
			line := carry.line(number)
			text, number = text[i+1:], number+1
			if line.Number >= from && !yield(line, nil) {
				return
			}
		}
		if to > 0 && number > to {
			return
		}
		carry.number = number
	}
	if carry.open && carry.number >= from {
		last := carry.line(carry.number)
		last.Open = true
		yield(last, nil)
	}
}

// skip removes up to limit whole lines from the beginning of a text, and returns the number of removed lines.
func skip(text *[]byte, limit int) int {
	for n := range limit {
		i := bytes.IndexByte(*text, '\n')
		if i < 0 {
			return n
		}
		*text = (*text)[i+1:]
	}
	return max(0, limit)
}

// joiner joins the parts of a line that spans several chunks.
type joiner struct {
	text   []byte
	cut    bool
	open   bool
	number int
}

func (j *joiner) add(text []byte) {
	if room := maxLine - len(j.text); len(text) > room {
		text, j.cut = text[:room], true
	}
	j.text = append(j.text, text...)
	j.open = true
}

func (j *joiner) line(number int) Line {
	l := Line{Number: number, Text: string(j.text), Cut: j.cut}
	j.text, j.cut, j.open = j.text[:0], false, false
	return l
}

// Lines returns the lines from..to, both inclusive. If the parameter to is 0, the range continues to the end of the
// log.
func (r *Reader) Lines(ctx context.Context, from, to int) ([]Line, error) {
	var lines []Line
	for line, err := range r.Scan(ctx, from, to) {
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// heldStep is the number of bytes of text after which Tail reports its memory with store.HoldText.
const heldStep = 64 << 10

// Tail returns the last n lines. If the last chunks with at least maxBytes bytes have fewer lines, Tail returns fewer.
// A maxBytes of 0 means no limit.
func (r *Reader) Tail(ctx context.Context, n int, maxBytes int64) ([]Line, error) {
	if n <= 0 {
		return nil, nil
	}
	chunks, err := r.store.Chunks(ctx, r.scope, r.attempt, r.stream, 1, 0)
	if err != nil || len(chunks) == 0 {
		return nil, err
	}
	last := chunks[len(chunks)-1]
	from := max(1, last.FirstLine+last.Lines-n) // one line too many if the last line is unfinished
	if first := within(chunks, maxBytes); maxBytes > 0 && first > 0 {
		end := last.FirstLine + last.Lines - 1
		from = max(from, min(chunks[first].FirstLine+1, end)) // the first line may begin in an earlier chunk
	}
	for len(chunks) > 1 && chunks[0].FirstLine+chunks[0].Lines < from {
		chunks = chunks[1:]
	}
	var lines []Line
	held := 0
	r.scan(ctx, chunks, from, 0, func(l Line, e error) bool {
		lines, err = append(lines, l), e
		if held += len(l.Text); err == nil && held >= heldStep {
			err, held = store.HoldText(ctx, int64(held)), 0
		}
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	return lines[max(0, len(lines)-n):], nil
}

// within adds up the bytes of chunks, from the last chunk backwards, until the sum is at least the parameter bytes. It
// returns the lowest index of an added chunk.
func within(chunks []store.Chunk, bytes int64) int {
	first := len(chunks) - 1
	for have := chunks[first].Bytes; first > 0 && have < bytes; {
		first--
		have += chunks[first].Bytes
	}
	return first
}
