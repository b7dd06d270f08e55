package ingest

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/wait"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// putChunk stores a chunk of a run's log. It answers when the object and the row of the chunk are durable.
func (s *Service) putChunk(w http.ResponseWriter, r *http.Request) error {
	run, err := s.attempt(r)
	if err != nil {
		return err
	}
	if err := s.checkOpen(run); err != nil {
		return err
	}
	c, err := s.placeOf(r)
	if err != nil {
		return err
	}
	if max(run.Bytes, c.Offset) > s.Limits.RunBytes-c.Bytes && run.State != store.StateCompleted {
		return s.limited(limitLog, store.Hint(store.Errorf(store.TooLarge, "a run's log has at most %d bytes",
			s.Limits.RunBytes), "finish it, and say in lost what is not sent"))
	}
	if err := contentType(r, "application/zstd", "application/octet-stream", "text/plain"); err != nil {
		return err
	}
	if err := contentEncoding(r, "zstd"); err != nil {
		return err
	}
	if err := s.limited(limitBytes, s.rates.body(run.Repo, bodySize(r, api.MaxChunkBody))); err != nil {
		return err
	}
	done, err := s.claimFor(r.Context(), run, store.Claim{Bytes: store.ChunkRow + bodySize(r, api.MaxChunkBody)})
	if err != nil {
		return err
	}
	defer done()
	object, err := s.readBody(w, r, api.MaxChunkBody)
	if err != nil {
		return err
	}
	if c.Digest, err = s.checkObject(r, c, object); err != nil {
		return err
	}
	c.Stored = int64(len(object))
	c.Key = chunk.Key(run.Attempt, c.Sequence, c.Digest)
	if err := s.keepChunk(r.Context(), run, c, object); err != nil {
		return err
	}
	if err := s.sawPart(r.Context(), run); err != nil {
		return err
	}
	s.Observer.Received(KindChunk, 1, c.Stored)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// bodySize returns the declared size of a body in bytes. It returns the limit if the request declares no size or a
// larger size.
func bodySize(r *http.Request, limit int64) int64 {
	if r.ContentLength < 0 || r.ContentLength > limit {
		return limit
	}
	return r.ContentLength
}

// keepChunk stores the object and then the chunk. If the store returns Conflict or NotFound for the chunk, no run
// refers to the object. So keepChunk deletes the object. An object with asterisks in place of text may still replace
// the stored one.
func (s *Service) keepChunk(ctx context.Context, run store.Run, c store.Chunk, object []byte) error {
	ctx, cancel := s.whole(ctx)
	defer cancel()
	if err := s.Blobs.Put(ctx, c.Key, object); err != nil {
		return err
	}
	err := s.Store.AddChunk(ctx, run.Attempt, c)
	for store.CodeOf(err) == store.RateLimited && wait.For(ctx, againSoon) == nil {
		// An earlier request may have stored the chunk with the same object. So keepChunk keeps the object.
		err = s.Store.AddChunk(ctx, run.Attempt, c)
	}
	switch store.CodeOf(err) {
	case store.Conflict:
		_ = s.Blobs.Delete(context.WithoutCancel(ctx), c.Key) // garbage collection would also delete the object
		if done, also := s.hideChunk(ctx, run, c, object); done || also != nil {
			return also
		}
		return store.Hint(err, "GET /v1/runs/%s tells what is there", run.Attempt)
	case store.NotFound:
		_ = s.Blobs.Delete(context.WithoutCancel(ctx), c.Key)
	}
	return err
}

// againSoon is the wait before keepChunk tries again to add a chunk to the store. It tries again if too many requests
// of the tenant are waiting for the store.
const againSoon = 100 * time.Millisecond

// whole returns a context for storing a body that has arrived completely. The context stays valid when the client
// disconnects. Otherwise an object could be stored without its row. No quota counts such an object, and maintenance
// finds it only after days.
func (s *Service) whole(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), s.Limits.Work)
}

// checkObject compares an object with its digest and with the declared sizes, and returns the digest.
func (s *Service) checkObject(r *http.Request, c store.Chunk, object []byte) (digest string, err error) {
	if digest, err = checkDigest(r, object, true); err != nil {
		return "", err
	}
	leave, err := s.bodyTurn(r.Context(), object)
	if err != nil {
		return "", err
	}
	size, err := chunk.Measure(object, api.MaxChunkText)
	leave()
	if err != nil {
		if store.CodeOf(err) == store.TooLarge {
			return "", s.limited(limitBody, err)
		}
		return "", err
	}
	if size.Bytes != c.Bytes || size.Lines != c.Lines {
		return "", store.Errorf(store.Invalid, "the object has %d bytes and %d line ends, not %d and %d", size.Bytes,
			size.Lines, c.Bytes, c.Lines)
	}
	return digest, nil
}

// placeOf reads the position of a chunk in the log.
func (s *Service) placeOf(r *http.Request) (store.Chunk, error) {
	n, err := s.sequence(r, s.Limits.RunChunks, "chunks", limitLog)
	if err != nil {
		return store.Chunk{}, err
	}
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return store.Chunk{}, store.Errorf(store.Invalid, "the query cannot be read")
	}
	c := store.Chunk{Sequence: n, Stream: q.Get(api.ParamStream), At: s.Now()}
	switch c.Stream {
	case "":
		c.Stream = store.StreamCombined
	case store.StreamCombined, store.StreamStdout, store.StreamStderr:
	default:
		return c, store.Errorf(store.Invalid, "%s must be combined, stdout or stderr", api.ParamStream)
	}
	for _, p := range []struct {
		name    string
		from    int64
		max     int64
		into    *int64
		intoInt *int
	}{
		{name: api.ParamFirstLine, from: 1, max: largest, intoInt: &c.FirstLine},
		{name: api.ParamLines, max: api.MaxChunkText, intoInt: &c.Lines},
		{name: api.ParamOffset, max: math.MaxInt64, into: &c.Offset},
		{name: api.ParamBytes, from: 1, max: api.MaxChunkText, into: &c.Bytes},
	} {
		n, err := strconv.ParseInt(q.Get(p.name), 10, 64)
		if err != nil || n < p.from || n > p.max {
			return c, store.Errorf(store.Invalid, "%s must be a number from %d to %d", p.name, p.from, p.max)
		}
		if p.into != nil {
			*p.into = n
		} else {
			*p.intoInt = int(n)
		}
	}
	return c, nil
}
