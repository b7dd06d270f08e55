package capture_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The pump is the process that copies the output of processes that the command left behind. The cleanup of a CI system
// finds processes by a variable of the job, or by their group. It must not find the pump. The pump must end when all
// processes that write to it have ended.
func TestPumpBelongsToNoJobAndEndsWithTheWriters(t *testing.T) {
	t.Parallel()
	cmd, out := started(t, true, "sh", "-c", `read x <go & echo up`)
	cmd.Wait()
	dir := pumpOf(t, out)
	for name, want := range map[string]string{"environ": "", "cmdline": "blq-output\x00"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	if cwd, err := os.Readlink(filepath.Join(dir, "cwd")); err != nil || cwd != "/" {
		t.Errorf("it holds the folder %s, %v", cwd, err)
	}
	let(t, cmd)
	if rest, err := io.ReadAll(out); err != nil || string(rest) != "up\n" { // the pump's end closes the output
		t.Errorf("%q %v", rest, err)
	}
}

// pumpOf returns the /proc folder of the pump that writes to the other end of the pipe out.
func pumpOf(t *testing.T, out *os.File) string {
	t.Helper()
	var pipe string
	if link, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", out.Fd())); err == nil {
		pipe = link
	}
	// The pump may not have its arguments in /proc yet, because the kernel shows them shortly after the program starts.
	for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(10 * time.Millisecond) {
		all, _ := filepath.Glob("/proc/[0-9]*/fd/1")
		for _, fd := range all {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(fd)), "cmdline"))
			if link, _ := os.Readlink(fd); link == pipe && string(line) == "blq-output\x00" {
				return filepath.Dir(filepath.Dir(fd))
			}
		}
	}
	t.Fatal("there is no process for the output of those left behind")
	return ""
}
