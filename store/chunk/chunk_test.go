package chunk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/chunk"
	"github.com/blq-ci/blq/store/sqlite"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// place holds the log of a test.
type place struct {
	*sqlite.Store
	counted
	run store.Run
	dir string
}

// counted counts the reads of objects. If *fail is not nil, Put returns this error.
type counted struct {
	store.Blobs
	gets *atomic.Int64
	fail *error
}

func (c counted) Get(ctx context.Context, key string) ([]byte, error) {
	c.gets.Add(1)
	return c.Blobs.Get(ctx, key)
}

func (c counted) Put(ctx context.Context, key string, data []byte) error {
	if *c.fail != nil {
		return *c.fail
	}
	return c.Blobs.Put(ctx, key, data)
}

func newPlace(t testing.TB) place {
	t.Helper()
	dir := t.TempDir()
	s := sqlitetest.OpenAt(t, filepath.Join(dir, "blq.db"))
	b, err := blob.OpenFile(filepath.Join(dir, "objects"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.StartRun(t.Context(),
		store.Run{Attempt: "01999999-0000-7000-8000-00000000abcd", Source: "build", StartedAt: time.Unix(1e9, 0)})
	if err != nil {
		t.Fatal(err)
	}
	return place{s, counted{b, new(atomic.Int64), new(error)}, r, dir}
}

func (p place) writer(t testing.TB) *chunk.Writer {
	t.Helper()
	w, err := chunk.NewWriter(p.Store, p.counted, p.run.Attempt)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (p place) reader(stream string) *chunk.Reader {
	return chunk.NewReader(p.Store, p.counted, store.Everything(), p.run, stream)
}

// write stores the pieces. Each piece gets at least one chunk.
func (p place) write(t testing.TB, pieces ...string) *chunk.Writer {
	t.Helper()
	w := p.writer(t)
	for _, s := range pieces {
		if n, err := w.Write(t.Context(), store.StreamCombined, []byte(s)); n != len(s) || err != nil {
			t.Fatalf("took %d of %d: %v", n, len(s), err)
		}
		if err := w.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func lines(t *testing.T, list []chunk.Line, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, l := range list {
		fmt.Fprintf(&b, "%d:%s ", l.Number, l.Text)
	}
	return strings.TrimRight(b.String(), " ")
}

func TestLinesAreTheSameHoweverTheLogIsCut(t *testing.T) {
	t.Parallel()
	const log = "one\ntwo\n\nfour\r\nfive"
	for cut := range len(log) {
		for width := range 3 {
			p := newPlace(t)
			end := min(cut+width, len(log))
			w := p.write(t, log[:cut], log[cut:end], log[end:])
			if w.Lines() != 5 {
				t.Errorf("cut at %d: %d lines", cut, w.Lines())
			}
			r := p.reader("")
			var raw bytes.Buffer
			if n, err := r.WriteTo(t.Context(), &raw); raw.String() != log || n != int64(len(log)) || err != nil {
				t.Errorf("cut at %d: raw %q, %d, %v", cut, raw.String(), n, err)
			}
			all := []string{"1:one", "2:two", "3:", "4:four\r", "5:five"}
			for from := 1; from <= 6; from++ {
				for to := from; to <= 6; to++ {
					got, err := r.Lines(t.Context(), from, to)
					if want := strings.Join(all[from-1 : min(to, 5)][:max(0, min(to, 5)-from+1)], " "); lines(
						t, got, err) != strings.TrimRight(want, " ") {
						t.Errorf("cut at %d, %d-%d: got %v, want %s", cut, from, to, got, want)
					}
				}
			}
			for n := 1; n <= 6; n++ {
				got, err := r.Tail(t.Context(), n, 0)
				if want := strings.Join(all[max(0, 5-n):], " "); lines(t, got, err) != want {
					t.Errorf("cut at %d, tail %d: got %v", cut, n, got)
				}
			}
		}
	}
}

func TestOnlyTheChunksNeededAreRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var log strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&log, "line %d of a log that goes on and on\n", i+1)
	}
	w := p.write(t, log.String())
	r := p.reader(store.StreamCombined)
	got, err := r.Lines(t.Context(), 100_000, 100_001)
	if want := "100000:line 100000 of a log that goes on and on 100001:line 100001 of a log that goes on and on"; lines(
		t, got, err) != want {
		t.Errorf("got %v", got)
	}
	if p.gets.Load() > 2 || w.Chunks() < 7 {
		t.Errorf("read %d of %d chunks", p.gets.Load(), w.Chunks())
	}
	p.gets.Store(0)
	if got, err := r.Tail(t.Context(), 1, 0); lines(t, got, err) != "200000:line 200000 of a log that goes on and on" ||
		p.gets.Load() > 2 {
		t.Errorf("got %v after %d chunks", got, p.gets.Load())
	}
}

func TestGrepShowsTheLinesAround(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, "a\nb\nX1\nc\n", "d\ne\nf\nX2\nX3", "\ng\nh\n")
	var got []string
	s := chunk.Search{Pattern: regexp.MustCompile(`^X`), Around: 1, From: 1}
	for m, err := range p.reader("").Grep(t.Context(), s) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(m.Number, m.Text, m.Found))
	}
	if diff := cmp.Diff([]string{"2bfalse", "3X1true", "4cfalse", "7ffalse", "8X2true", "9X3true", "10gfalse"},
		got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestALongLineIsCutInLinesAndWholeInRaw(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	long := strings.Repeat("x", 3<<20)
	p.write(t, "a\n"+long+"\nb\n")
	got, err := p.reader("").Lines(t.Context(), 1, 0)
	if err != nil || len(got) != 3 || len(got[1].Text) != chunk.MaxLine || !got[1].Cut ||
		got[2] != (chunk.Line{Number: 3, Text: "b"}) {
		t.Errorf("got %d lines, %v", len(got), err)
	}
	var raw bytes.Buffer
	if _, err := p.reader("").WriteTo(t.Context(), &raw); raw.Len() != len(long)+5 || err != nil {
		t.Errorf("raw %d, %v", raw.Len(), err)
	}
}

func TestStreamsShareOneSequence(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	w := p.writer(t)
	for _, s := range []string{store.StreamStdout, store.StreamStderr, store.StreamStdout} {
		if _, err := w.Write(t.Context(), s, []byte(s+"\n")); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if w.Chunks() != 3 || w.Lines() != 3 {
		t.Errorf("%d chunks, %d lines", w.Chunks(), w.Lines())
	}
	got, err := p.reader(store.StreamStdout).Lines(t.Context(), 1, 0)
	if lines(t, got, err) != "1:stdout 2:stdout" {
		t.Errorf("got %v", got)
	}
}

func TestAFailedWriteIsMadeUpFor(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	w := p.writer(t)
	*p.fail = errors.New("disk full")
	if _, err := w.Write(t.Context(), store.StreamCombined, []byte("a\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(t.Context()); !errors.Is(err, *p.fail) {
		t.Fatalf("got %v", err)
	}
	if _, err := w.Write(t.Context(), store.StreamCombined, []byte("b\n")); err != nil {
		t.Fatal(err)
	}
	*p.fail = nil
	if err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := p.reader("").Lines(t.Context(), 1, 0)
	if lines(t, got, err) != "1:a 2:b" || w.Chunks() != 2 {
		t.Errorf("got %v in %d chunks", got, w.Chunks())
	}
}

func TestADamagedObjectIsNoticed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, "a\n")
	keys, err := p.List(t.Context(), "logs/", "", 0)
	if err != nil || len(keys) != 1 {
		t.Fatal(keys, err)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "objects", keys[0]), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.reader("").Lines(t.Context(), 1, 0); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %v", err)
	}
}

func TestAnObjectThatUnpacksToMoreThanItSaysIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, strings.Repeat("x", 1<<20))
	chunks, err := p.Chunks(t.Context(), store.Everything(), p.run.Attempt, "", 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	lie := chunks[0]
	lie.Sequence, lie.Bytes, lie.Stream = 1, 10, store.StreamStderr
	if err := p.AddChunk(t.Context(), p.run.Attempt, lie); err != nil {
		t.Fatal(err)
	}
	if _, err := p.reader(store.StreamStderr).Lines(t.Context(), 1, 0); err == nil ||
		!strings.Contains(err.Error(), "more than 10") {
		t.Errorf("got %v", err)
	}
}

func BenchmarkWrite(b *testing.B) {
	p := newPlace(b)
	w := p.writer(b)
	text := []byte(strings.Repeat("gcc -O2 -c src/main.c -o build/main.o\n", chunk.Size/38))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := w.Write(b.Context(), store.StreamCombined, text); err != nil {
			b.Fatal(err)
		}
		if err := w.Flush(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	p := newPlace(b)
	text := strings.Repeat("gcc -O2 -c src/main.c -o build/main.o\n", 8*chunk.Size/38)
	p.write(b, text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for _, err := range p.reader("").Scan(b.Context(), 1, 0) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
