//go:build unix

package regularfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A named pipe without a writer is an error at once. Reading it would wait.
func TestReadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := func(base string) string { return filepath.Join(dir, base) }
	if err := os.WriteFile(name("file"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(name("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link": "file", "piped": "pipe", "null": os.DevNull} {
		if err := os.Symlink(to, name(link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ base, text, problem string }{
		{"file", "text", ""}, {"link", "text", ""}, {"null", "", ""},
		{"pipe", "", "it is a named pipe, not a regular file"}, {"piped", "", "it is a named pipe, not a regular file"},
		{".", "", "it is a directory, not a regular file"},
	} {
		text, err := ReadFile(name(test.base))
		if string(text) != test.text || (err == nil) != (test.problem == "") ||
			err != nil && !strings.HasSuffix(err.Error(), test.problem) {
			t.Errorf("%s: %q, %v", test.base, text, err)
		}
	}
	if _, err := ReadFile(name("missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}
