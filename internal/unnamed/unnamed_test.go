//go:build unix

package unnamed_test

import (
	"os"
	"testing"

	"github.com/blq-ci/blq/internal/unnamed"
)

// A killed process leaves no file, because the file has no name while it is used.
func TestAFileHasNoName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := unnamed.Create(dir, "log-")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("token"); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	if text, err := os.ReadFile(f.Name()); err == nil {
		t.Errorf("%s", text)
	}
	unnamed.Discard(f)
}
