//go:build linux

// Package faults tests uploads under faults, with real blq and blqd, a real PostgreSQL and fake-gcs-server. Processes
// are killed, the database crashes, the bucket fails, and disks are full. A recorder between client and server notes
// which data the server acknowledged. Afterwards the server must have all acknowledged data exactly once.
package faults

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var (
	uploads = flag.Int("uploads", 100, "uploads that are disturbed by killing processes")
	seed    = flag.Uint64("seed", 0, "decides what goes wrong when, 0 for another one each time")
)

// The programs under test.
var blq, blqd string

func TestMain(m *testing.M) {
	flag.Parse()
	if *seed == 0 {
		*seed = rand.Uint64N(1e6) + 1
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "blq-faults-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	blq, blqd = filepath.Join(dir, "blq"), filepath.Join(dir, "blqd")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", dir, "../../cmd/blq", "../../cmd/blqd")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "go build:", err)
		return 1
	}
	if err := serveFiles(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer files.Stop()
	return m.Run()
}

// chance returns a random source that is always the same for a seed and a part.
func chance(t *testing.T, part uint64) *rand.Rand {
	t.Helper()
	if part == 0 {
		t.Logf("again with: go test ./e2e/faults -run '%s' -uploads %d -seed %d", t.Name(), *uploads, *seed)
	}
	return rand.New(rand.NewPCG(*seed, part))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// note reports an error, but does not end the test. Goroutines other than the test's may call it.
func note(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
