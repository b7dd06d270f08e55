package storetest

import (
	"fmt"
	"time"

	"github.com/blq-ci/blq/store"
)

// chunk returns a chunk with 100 bytes of text and 10 stored bytes.
func chunk(sequence int, stream string, firstLine, lines int) store.Chunk {
	return store.Chunk{
		Sequence: sequence, Stream: stream, FirstLine: firstLine, Lines: lines, Offset: int64(sequence) * 100, Bytes: 100,
		Stored: 10,
		Digest: fmt.Sprintf("%064x", sequence), Key: fmt.Sprintf("k/%s/%d", stream, sequence),
	}
}

var chunkTests = map[string]func(f fixture){
	"the newest tells when a run printed last": func(f fixture) {
		r := f.start("", "build")
		f.equal(r.OutputAt, time.Time{})
		for n, after := range []time.Duration{time.Minute, 3 * time.Minute, 2 * time.Minute} {
			c := chunk(n, store.StreamCombined, n+1, 1)
			c.At = start.Add(after)
			f.ok(f.s.AddChunk(f.Context(), r.Attempt, c))
			f.ok(f.s.AddChunk(f.Context(), r.Attempt, c)) // a repeated call
		}
		got, err := f.s.Run(f.Context(), everything, r.Ref())
		f.ok(err)
		f.equal(got.OutputAt, start.Add(3*time.Minute))
	},
	"by the lines they hold": func(f fixture) {
		r := f.start("", "build")
		all := []store.Chunk{
			chunk(0, store.StreamCombined, 1, 10),
			chunk(1, store.StreamCombined, 11, 4),
			chunk(2, store.StreamCombined, 15, 0), // begins within line 15
			chunk(3, store.StreamCombined, 15, 0),
			chunk(4, store.StreamCombined, 15, 6),
			chunk(5, store.StreamStderr, 1, 1),
		}
		for _, c := range all {
			f.ok(f.s.AddChunk(f.Context(), r.Attempt, c))
		}
		// Whether a chunk ends with a whole line is known only from the next chunk. So the result may also contain the
		// chunk before the first line.
		for _, test := range []struct {
			from, to int
			want     []store.Chunk
		}{
			{1, 0, all[:5]}, {1, 10, all[:1]}, {3, 3, all[:1]}, {12, 13, all[1:2]}, {15, 15, all[1:5]}, {16, 0, all[4:5]},
			{16, 100, all[4:5]}, {22, 0, nil},
		} {
			got, err := f.s.Chunks(f.Context(), everything, r.Attempt, store.StreamCombined, test.from, test.to)
			f.ok(err)
			f.equal(got, test.want)
		}
		got, err := f.s.Chunks(f.Context(), everything, r.Attempt, store.StreamStderr, 1, 0)
		f.ok(err)
		f.equal(got, all[5:])
	},
	"a chunk counts once": func(f fixture) {
		r := f.start("", "build")
		c := chunk(0, store.StreamCombined, 1, 10)
		f.ok(f.s.AddChunk(f.Context(), r.Attempt, c))
		f.ok(f.s.AddChunk(f.Context(), r.Attempt, c))
		other := c
		other.Digest = "other"
		f.refused(f.s.AddChunk(f.Context(), r.Attempt, other), store.Conflict, "0")
		got, err := f.s.Run(f.Context(), everything, r.Ref())
		f.ok(err)
		f.equal([]int{int(got.Bytes), got.Lines}, []int{100, 10})
		got, err = f.s.FinishRun(f.Context(), r.Attempt, store.Finish{Chunks: 1, Lines: 11})
		f.ok(err)
		f.equal(got.Lines, 11)
		f.ok(f.s.AddChunk(f.Context(), r.Attempt, c))
	},
	"the received parts can be read": func(f fixture) {
		r := f.start("o/a", "build")
		got, err := f.s.Received(f.Context(), everything, r.Attempt)
		f.ok(err)
		f.equal(got, store.Received{})
		for _, n := range []int{0, 1, 3} {
			f.ok(f.s.AddChunk(f.Context(), r.Attempt, chunk(n, store.StreamCombined, 1, 1)))
		}
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 1, nil))
		got, err = f.s.Received(f.Context(), store.Repos("o/a"), r.Attempt)
		f.ok(err)
		f.equal(got, store.Received{Chunks: 2, Batches: 0, AllChunks: 3, AllBatches: 1})
		for _, sc := range []store.Scope{{}, store.Repos("o/b")} {
			_, err = f.s.Received(f.Context(), sc, r.Attempt)
			f.refused(err, store.NotFound)
		}
		_, err = f.s.Received(f.Context(), everything, f.attempt())
		f.refused(err, store.NotFound)
	},
	"a completed run gets no more": func(f fixture) {
		r := f.start("", "build")
		c := chunk(0, store.StreamCombined, 1, 10)
		f.ok(f.s.AddChunk(f.Context(), r.Attempt, c))
		f.finish(r, 0)
		f.ok(f.s.AddChunk(f.Context(), r.Attempt, c))
		f.refused(f.s.AddChunk(f.Context(), r.Attempt, chunk(1, store.StreamCombined, 11, 1)), store.Conflict)
	},
}
