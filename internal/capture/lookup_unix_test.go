//go:build unix

package capture_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/blq-ci/blq/internal/capture"
)

// A shell finds programs even if PATH is not set, for example when env -i starts the shell. An empty entry in PATH
// means the working directory.
func TestProgramsAreFoundAsAShellFindsThem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "here"), []byte("#!/bin/sh\necho here\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		env  []string
		name string
		code int
	}{
		{[]string{"BLQ=1"}, "sh", 0},
		{[]string{"PATH="}, "sh", 127},
		{[]string{"PATH="}, "here", 0},
		{[]string{"PATH=/nowhere::"}, "here", 0},
		{[]string{"BLQ=1"}, "here", 127},
	} {
		cmd := child(t, "")
		cmd.Args, cmd.Dir, cmd.Env = []string{tt.name, "-c", "exit 0"}, dir, tt.env
		_, err := capture.Run(t.Context(), cmd, newRecorder().sink)
		if code := startCode(err); code != tt.code {
			t.Errorf("%s with %q: %v, want the code %d", tt.name, tt.env, err, tt.code)
		}
	}
}

// startCode returns the exit code of a command that cannot start, 0 for a started one, or -1 for another error.
func startCode(err error) int {
	if err == nil {
		return 0
	}
	if start, ok := errors.AsType[*capture.StartError](err); ok {
		return start.Code
	}
	return -1
}
