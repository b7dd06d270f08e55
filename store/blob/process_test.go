//go:build !windows

package blob_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
)

// TestMain puts objects if BLQ_TEST_BLOBS is set: the process is then one of several that put objects at the same time.
// Otherwise TestMain runs the tests.
func TestMain(m *testing.M) {
	dir := os.Getenv("BLQ_TEST_BLOBS")
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := putMany(dir, os.Getenv("BLQ_TEST_NAME"), os.Getenv("BLQ_TEST_LIMIT") != ""); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const objects = 100

// putMany puts a number of objects, or puts objects without end if name is "". All processes use the same keys. putMany
// prints the result of each put. With limited, the objects are larger than the allowed size of a file.
func putMany(dir, name string, limited bool) error {
	if limited {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100_000, Max: 100_000}); err != nil {
			return err
		}
	}
	b, err := blob.OpenFile(dir)
	if err != nil {
		return err
	}
	for i := 0; i < objects || name == ""; i++ {
		key := fmt.Sprintf("logs/%d/%d", i%7, i)
		err := b.Put(context.Background(), key, body(name+key))
		fmt.Println(key, string(store.CodeOf(err))+".", cmdline.Of(store.NextOf(err)))
	}
	return nil
}

// body returns an object that is larger than a limited process may write.
func body(what string) []byte { return bytes.Repeat([]byte(what), 150_000/len(what)) }

func process(t *testing.T, dir string, env ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, "BLQ_TEST_BLOBS="+dir)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

func TestOfProcessesThatPutOtherBytesOneWins(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "logs")
	var mu sync.Mutex
	winners := map[string][]string{}
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b", "c"} {
		cmd, lines := process(t, dir, "BLQ_TEST_NAME="+name)
		wg.Go(func() {
			for lines.Scan() {
				mu.Lock()
				if words := strings.Fields(lines.Text()); words[1] == "." {
					winners[words[0]] = append(winners[words[0]], name)
				} else if words[1] != "conflict." {
					t.Errorf("%s: %s", name, lines.Text())
				}
				mu.Unlock()
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	wg.Wait()
	b := open(t, dir)
	if len(winners) != objects {
		t.Errorf("%d of %d objects were put", len(winners), objects)
	}
	for key, names := range winners {
		got, err := b.Get(t.Context(), key)
		if err != nil || len(names) != 1 || !bytes.Equal(got, body(names[0]+key)) {
			t.Errorf("%s: acknowledged to %v, holds %.20q, %v", key, names, got, err)
		}
	}
	noLeftovers(t, dir)
}

func TestAKilledProcessLeavesWholeObjects(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "logs")
	cmd, lines := process(t, dir)
	var acknowledged []string
	for len(acknowledged) < 50 && lines.Scan() {
		acknowledged = append(acknowledged, strings.Fields(lines.Text())[0])
	}
	cmd.Process.Kill()
	cmd.Wait()
	b := open(t, dir)
	keys, err := b.List(t.Context(), "", "", 0)
	if err != nil || len(acknowledged) != 50 || len(keys) < 50 {
		t.Fatalf("%d acknowledged, %d there, %v", len(acknowledged), len(keys), err)
	}
	for _, key := range append(keys, acknowledged...) {
		if got, err := b.Get(t.Context(), key); err != nil || !bytes.Equal(got, body(key)) {
			t.Errorf("%s: %d bytes, %v", key, len(got), err)
		}
	}
}

func TestAFullDiskIsToldAndLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "logs")
	cmd, lines := process(t, dir, "BLQ_TEST_NAME=a", "BLQ_TEST_LIMIT=1")
	told := 0
	for lines.Scan() {
		if !strings.Contains(lines.Text(), " unavailable. ") || !strings.Contains(lines.Text(), "prune") {
			t.Errorf("said %q", lines.Text())
		}
		told++
	}
	if err := cmd.Wait(); err != nil || told != objects {
		t.Errorf("told of %d, %v", told, err)
	}
	if keys, err := open(t, dir).List(t.Context(), "", "", 0); len(keys) != 0 || err != nil {
		t.Errorf("left %v, %v", keys, err)
	}
	noLeftovers(t, dir)
}

// noLeftovers checks that there are no temporary files.
func noLeftovers(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*", "*", ".*"))
	if len(left) != 0 || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
}
