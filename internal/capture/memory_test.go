//go:build linux && !race

package capture_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMemoryIsFlat checks that 400 MB of output need at most 64 MB of memory. It does not run with the race detector,
// which needs additional memory.
func TestMemoryIsFlat(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "status")
	cmd := exec.Command(os.Args[0], "head", "-c", "400000000", "/dev/zero")
	cmd.Env = append(environ("wrap"), "GOGC=100",
		"WRAP_DELAY=200us", "WRAP_STATUS="+path) // slow enough to fill the spill file
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	status, _ := os.ReadFile(path)
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	var kb int
	if _, err := fmt.Sscan(peak, &kb); err != nil || kb > 64<<10 {
		t.Errorf("%d KB resident for 400 MB of output, %v", kb, err)
	}
	t.Logf("%d KB", kb)
}
