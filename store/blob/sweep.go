package blob

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// abandoned is the age at which a temporary file has no writer any more.
const abandoned = 24 * time.Hour

// sweep removes the files that dead writers left in a directory, if it has no other
// files, and reports whether there were any.
func sweep(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), temporary) || time.Since(info.ModTime()) < abandoned {
			return false
		}
	}
	for _, e := range entries {
		os.Remove(filepath.Join(dir, e.Name()))
	}
	return len(entries) > 0
}
