package redact

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// benchLog returns the log named by BLQ_BENCH_LOG, or lines that look like a build log.
func benchLog(b *testing.B) []byte {
	if name := os.Getenv("BLQ_BENCH_LOG"); name != "" {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		return data
	}
	var s strings.Builder
	for i := 0; s.Len() < 8<<20; i++ {
		fmt.Fprintf(&s, "2026-01-02T03:04:05.678Z INFO  worker-%d finished task %d in %d ms\n", i%8, i, i%97)
		fmt.Fprintf(&s, "/usr/bin/c++ -DNDEBUG -I/home/ci/project/include -O2 -std=gnu++20 -o file_%d.o -c "+
			"/home/ci/project/src/file_%d.cpp\n", i, i)
		fmt.Fprintf(&s, "Downloading https://repo.example.org/maven2/org/example/artifact-%d/1.%d/artifact-%d-1.%d.jar "+
			"(%d kB)\n", i, i%9, i, i%9, i%500)
	}
	return []byte(s.String())
}

// secret returns a random value that looks like the secret of a service.
func secret(r *rand.Rand) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_.!$&"
	b := make([]byte, 12+r.IntN(40))
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

func BenchmarkStream(b *testing.B) {
	log := benchLog(b)
	for _, n := range []int{0, 10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			var values []string
			for range n {
				values = append(values, secret(r))
			}
			red := New(Options{Values: values, Shapes: true})
			b.SetBytes(int64(len(log)))
			for b.Loop() {
				s := red.Stream(func([]byte) {})
				for rest := log; len(rest) > 0; {
					k := min(len(rest), 64<<10)
					_, _ = s.Write(rest[:k])
					rest = rest[k:]
				}
				s.Close()
			}
		})
	}
}

// BenchmarkTools measures the search in output of real tools: the goldens of the parser.
func BenchmarkTools(b *testing.B) {
	files, err := filepath.Glob("../../ingest/parse/formats/testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		b.Fatal("there are no goldens:", err)
	}
	var log []byte
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		log = append(log, text...)
	}
	red := New(Options{Shapes: true})
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		s := red.Stream(func([]byte) {})
		for part := range slices.Chunk(log, 64<<10) {
			_, _ = s.Write(part)
		}
		s.Close()
	}
}

func BenchmarkNew(b *testing.B) {
	environ := os.Environ()
	for b.Loop() {
		New(Options{Values: append(FromEnvironment(environ), "ghs_123456789012345678901234567890123456", "a-Second-1"),
			Shapes: true})
	}
}
