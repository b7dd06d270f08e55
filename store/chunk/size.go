package chunk

import "context"

// Extent is the size of a stream.
type Extent struct {
	Bytes int64
	Lines int // including an unfinished last line
}

// Extent returns the present size of the stream.
func (r *Reader) Extent(ctx context.Context) (Extent, error) {
	chunks, err := r.store.Chunks(ctx, r.scope, r.attempt, r.stream, 1, 0)
	if err != nil || len(chunks) == 0 {
		return Extent{}, err
	}
	last := chunks[len(chunks)-1]
	e := Extent{Bytes: last.Offset + last.Bytes, Lines: last.FirstLine + last.Lines - 1}
	tail, err := r.Lines(ctx, last.FirstLine+last.Lines, 0)
	return Extent{e.Bytes, e.Lines + len(tail)}, err
}
