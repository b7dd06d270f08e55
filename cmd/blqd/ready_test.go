package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadySaysWhatTheServiceLacks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := []string{"BLQ_DATA=" + dir}
	p := serve(t, env)
	_, port, _ := strings.Cut(strings.TrimPrefix(p.URL, "http://"), ":")
	ready := func(addr string) string {
		t.Helper()
		out, err := command(t.Context(), []string{"BLQ_ADDR=" + addr}, "ready").CombinedOutput()
		if (err == nil) != (string(out) == "ok\n") {
			t.Errorf("ready ended with %v and said %q", err, out)
		}
		return string(out)
	}
	for _, addr := range []string{"127.0.0.1:" + port, ":" + port, "0.0.0.0:" + port, "[::]:" + port} {
		if got := ready(addr); got != "ok\n" {
			t.Errorf("at %s: %s", addr, got)
		}
	}
	check(t, os.Rename(filepath.Join(dir, "logs"), filepath.Join(dir, "gone")))
	until(t, "ready notices", func() bool {
		return ready(":"+port) == "blqd: not ready: logs unavailable\n"
	})
	p.kill()
	if got := ready(":" + port); !strings.Contains(got, "nobody answers at http://127.0.0.1:"+port+"/readyz") ||
		!strings.Contains(got, "try: blqd ready --addr") {
		t.Errorf("of none: %s", got)
	}
	if got := ready("nowhere"); !strings.Contains(got, `--addr (BLQ_ADDR): "nowhere" is not an address with a port`) {
		t.Errorf("of nonsense: %s", got)
	}
}
