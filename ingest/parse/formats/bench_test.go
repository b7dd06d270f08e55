package formats

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

func benchmark(b *testing.B, log []byte) {
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		p := parse.New(all, func(store.Event) {})
		io.Copy(p, bytes.NewReader(log))
		p.Finish(nil)
	}
}

// BenchmarkParseGoldens parses the output of failing tools, which has the most events per line.
func BenchmarkParseGoldens(b *testing.B) {
	var log []byte
	for _, g := range goldens(b) {
		log = append(log, g.input...)
	}
	benchmark(b, log)
}

// BenchmarkParseQuiet parses a typical log: many lines, few errors.
func BenchmarkParseQuiet(b *testing.B) {
	var log bytes.Buffer
	for i := range 100000 {
		fmt.Fprintf(&log, "2026-08-17T13:15:44.%07dZ [INFO] Downloading from central: "+
			"https://repo.example/org/lib-%d/lib-%d.jar (%d kB)\n", i, i, i, i%977)
		if i%5000 == 0 {
			fmt.Fprintf(&log, "2026-08-17T13:15:45.0000000Z src/a%d.foo:3:5: error: unknown thing\n", i)
		}
	}
	benchmark(b, log.Bytes())
}

// BenchmarkParseFile parses the log that BLQ_BENCH_LOG names.
func BenchmarkParseFile(b *testing.B) {
	log, err := os.ReadFile(os.Getenv("BLQ_BENCH_LOG"))
	if err != nil {
		b.Skip("BLQ_BENCH_LOG names no log")
	}
	benchmark(b, log)
}
