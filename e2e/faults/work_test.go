//go:build linux

package faults

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/blq-ci/blq/store"
)

// work is a run to upload, with the data that the server must have in the end.
type work struct {
	name   string
	head   []byte // the two parts of its log
	tail   []byte
	errors int
	live   bool // it is sent while it runs, and runs until a part has arrived
	split  bool // head goes to stdout, tail to stderr
	killed bool // blq was killed; what was not stored yet is lost
	choked bool // the disk was full; what was not stored is lost
}

// newWork returns a random run. Its log takes one or several chunks, and its events one or several batches.
func newWork(r *rand.Rand, name string) *work {
	w := &work{name: name, errors: []int{1, 40, 999, 1000, 1001, 2500}[r.IntN(6)], live: r.IntN(3) == 0,
		split: r.IntN(5) == 0}
	sizes := []int{0, 0, 10_000, 200_000, 1_500_000, 3_000_000}
	size := sizes[r.IntN(len(sizes))]
	if w.live {
		size = 2_600_000
	}
	var text bytes.Buffer
	for i := range w.errors {
		fmt.Fprintf(&text, "%s.c:%d:1: error: no %d\n", name, i+1, i+1)
		for text.Len() < size*(i+1)/w.errors {
			fmt.Fprintf(&text, "CC %016x%016x %d\n", r.Uint64(), r.Uint64(), text.Len())
		}
	}
	cut := bytes.IndexByte(text.Bytes()[text.Len()/2:], '\n') + text.Len()/2 + 1
	w.head, w.tail = text.Bytes()[:cut:cut], text.Bytes()[cut:]
	return w
}

// requests returns roughly how many requests the upload takes.
func (w *work) requests() int {
	return 2 + (len(w.head)+len(w.tail))/(1<<20) + 1 + (w.errors+999)/1000
}

// log returns the expected log by stream.
func (w *work) log() map[string][]byte {
	if w.split {
		return map[string][]byte{store.StreamStdout: w.head, store.StreamStderr: w.tail}
	}
	return map[string][]byte{store.StreamCombined: append(w.head, w.tail...)}
}

// write writes the files that the command prints.
func (w *work) write(t *testing.T, dir string) {
	t.Helper()
	check(t, os.WriteFile(filepath.Join(dir, "head"), w.head, 0o644))
	check(t, os.WriteFile(filepath.Join(dir, "tail"), w.tail, 0o644))
}

// flags returns the flags of blq run, and the command.
func (w *work) flags() []string {
	script := "cat head; "
	if w.live {
		script += "read go; "
	}
	script += "cat tail"
	list := []string{"run", "-q", "-n", w.name}
	if w.split {
		script += " >&2"
		list = append(list, "--split")
	}
	if w.live {
		list = append(list, "--remote", "--remote-wait", "20")
	} else {
		list = append(list, "--remote=off")
	}
	return append(list, "--", "sh", "-c", script+"; exit 3")
}
