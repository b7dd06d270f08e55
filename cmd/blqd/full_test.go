//go:build linux

package main

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A service that can read but not write is not ready. This is tested for its database and for its logs.
func TestAServiceThatCannotWriteIsNotReady(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := serve(t, []string{"BLQ_DATA=" + dir})
	becomes := func(status int, text string) {
		t.Helper()
		until(t, "ready says "+text, func() bool {
			got, body := p.do("GET", "/readyz", nil)
			return got == status && body == text+"\n"
		})
	}
	limit := func(size uint64) {
		t.Helper()
		check(t, unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: unix.RLIM_INFINITY}, nil))
	}
	becomes(200, "ok")
	limit(0)
	becomes(503, "database unavailable")
	limit(unix.RLIM_INFINITY)
	becomes(200, "ok")
	logs := filepath.Join(dir, "logs")
	check(t, os.Rename(logs, logs+".gone"))
	check(t, os.WriteFile(logs, nil, 0o600))
	becomes(503, "logs unavailable")
}
