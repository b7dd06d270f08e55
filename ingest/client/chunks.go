package client

import (
	"cmp"
	"context"
	"fmt"
	"sort"
	"sync"

	"github.com/blq-ci/blq/store"
)

const defaultParallel = 4

// sendChunks sends the chunks of the log that the service does not have.
func (u *upload) sendChunks(ctx context.Context) error {
	chunks, err := u.pending(ctx)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		first error
		next  int                         // index of the next chunk to send
		sent  = make([]bool, len(chunks)) // chunks that the service acknowledged
		had   = u.Chunks
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1, next <= len(chunks) && first == nil
	}
	done := func(i int, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			first = cmp.Or(first, err)
			stop()
			return
		}
		sent[i] = true
		u.Bytes += chunks[i].Stored
		for u.Chunks-had < len(sent) && sent[u.Chunks-had] {
			u.Chunks++
		}
		u.tell()
	}
	for range min(u.parallel(), len(chunks)) {
		wg.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				done(i, u.sendChunk(ctx, chunks[i]))
			}
		})
	}
	wg.Wait()
	return first
}

func (u *upload) sendChunk(ctx context.Context, c store.Chunk) error {
	object, err := u.Blobs.Get(ctx, c.Key)
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	if object, err = u.hidden(c, object); err != nil {
		return err
	}
	err = u.Client.putChunk(ctx, u.attempt, c, object)
	if u.has != nil && c.Sequence >= u.has.Chunks && (store.CodeOf(err) == store.Conflict || refused(err)) {
		return nil // the service does not have this chunk
	}
	if err != nil {
		return err
	}
	u.arrived(c)
	return nil
}

func (u *upload) parallel() int { return cmp.Or(u.Parallel, defaultParallel) }

// pending returns the chunks that the service does not have, or those that are sent again. It fails if the chunks in
// the local store have a gap.
func (u *upload) pending(ctx context.Context) ([]store.Chunk, error) {
	var all []store.Chunk
	for _, stream := range []string{store.StreamCombined, store.StreamStdout, store.StreamStderr} {
		chunks, err := u.Source.Chunks(ctx, store.Everything(), u.attempt, stream, 1, 0)
		if err != nil {
			return nil, err
		}
		all = append(all, chunks...)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Sequence < all[j].Sequence })
	u.Of = len(all)
	for i, c := range all {
		if c.Sequence != i {
			return nil, fmt.Errorf("chunk %d of the log of %s is missing here", i, u.Run.Ref())
		}
	}
	if u.has != nil { // the service may also have chunks that were on their way when it refused another one
		all = all[:min(u.has.Chunks+u.parallel(), len(all))]
	}
	return all[min(u.Chunks, len(all)):], nil
}
