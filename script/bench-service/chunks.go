//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store/chunk"
)

// chunksPerTurn is the number of chunks in a turn. blqd and the server for comparison take turns.
const chunksPerTurn = 32

// chunks measures how fast blqd stores log chunks. The comparison is a server that writes the same bodies to files and
// calls fsync.
func (b *bench) chunks() error {
	fmt.Printf("### Logs in\n\n| logs are kept in | body | senders | sent to blqd, MB/s | received and fsynced, MB/s " +
		"| ratio |\n| --- | --- | --- | --- | --- | --- |\n")
	if err := b.chunksTo("files", "file://"+filepath.Join(b.dir, "sent")); err != nil {
		return err
	}
	bucket, err := fakestorage.NewServerWithOptions(fakestorage.Options{
		Scheme: "http", Host: "127.0.0.1", StorageRoot: filepath.Join(b.dir, "bucket"), Writer: io.Discard})
	if err != nil {
		return err
	}
	defer bucket.Stop()
	bucket.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "logs"})
	if err := b.chunksTo("fake-gcs-server", "gs://logs/blq", "STORAGE_EMULATOR_HOST="+bucket.URL()); err != nil {
		return err
	}
	fmt.Println()
	return nil
}

func (b *bench) chunksTo(name, place string, env ...string) (err error) {
	s, err := b.newSender(place, env...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	dir := filepath.Join(b.dir, "received")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bare, err := startChild(nil, self, receiverFlag, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.stop()) }()
	for _, kind := range []struct {
		name string
		text func(seed uint64) []byte
	}{{"a log", logPiece}, {"hard to compress", noise}} {
		list, size, err := parcels(kind.text)
		if err != nil {
			return err
		}
		for _, senders := range []int{1, 8} {
			ours := func(int) error {
				return atOnce(senders, senders, func(sender int) error {
					attempt, err := s.begin()
					for i := sender; i < len(list) && err == nil; i += senders {
						err = s.put(attempt, "chunks", i/senders, list[i])
					}
					return err
				})
			}
			theirs := func(int) error {
				return atOnce(senders, len(list), func(i int) error {
					_, err := bare.call(b.ctx, "", "PUT", "/", list[i].body)
					return err
				})
			}
			mine, other, ratio, err := turns(b.rounds, ours, theirs)
			if err != nil {
				return err
			}
			fmt.Printf("| %s | %s, %d kB | %d | %.0f | %.0f | %.2f |\n", name, kind.name, size/len(list)/1000, senders,
				float64(size)/1e6/mine.Seconds(), float64(size)/1e6/other.Seconds(), ratio)
		}
	}
	return nil
}

// parcels returns log chunks. Each is the first chunk of its log.
func parcels(text func(seed uint64) []byte) (list []parcel, size int, err error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, 0, err
	}
	defer w.Close()
	for i := range uint64(chunksPerTurn) {
		one := text(i)
		p := newParcel(w.EncodeAll(one, nil), "Content-Type", "application/zstd")
		p.query = fmt.Sprintf("?%s=1&%s=%d&%s=0&%s=%d", api.ParamFirstLine, api.ParamLines, bytes.Count(one, []byte{'\n'}),
			api.ParamOffset, api.ParamBytes, len(one))
		list, size = append(list, p), size+len(p.body)
	}
	return list, size, nil
}

// logPiece returns a full chunk of build output.
func logPiece(seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 1))
	var b bytes.Buffer
	for i := 0; b.Len() < chunk.Size-300; i++ {
		fmt.Fprintf(&b, "2026-01-02T03:04:%02d.%07dZ [%3d%%] Building CXX object "+
			"src/module%d/CMakeFiles/core.dir/file_%d.cpp.o %x\n", i%60, random.IntN(1e7), i%100, random.IntN(97),
			random.IntN(5000), random.Uint32())
	}
	return b.Bytes()
}

// noise returns a full chunk of text that does not compress.
func noise(seed uint64) []byte {
	source := rand.NewChaCha8([32]byte{byte(seed)})
	text := make([]byte, chunk.Size-300)
	_, _ = source.Read(text) // never fails
	return text
}

// receiverFlag makes this program a server that writes bodies to files in a folder.
const receiverFlag = "-receive"

func receive(dir string) {
	var n atomic.Int64
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Fprintf(os.Stderr, "{\"msg\":\"serving\",\"addr\":%q}\n", l.Addr())
	//nolint:gosec // on loopback, for a short time
	err = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Create(filepath.Join(dir, fmt.Sprint(n.Add(1)%1000)))
		if err == nil {
			_, err = io.Copy(f, r.Body)
			err = errors.Join(err, f.Sync(), f.Close())
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	fmt.Fprintln(os.Stderr, err)
}
