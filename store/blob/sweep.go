package blob

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// abandonedAfter is the age at which a temporary file counts as left by a crashed writer.
const abandonedAfter = 24 * time.Hour

// sweep removes abandoned temporary files from a directory. It removes nothing if the directory has other files. It
// reports whether it removed a file.
func sweep(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), temporary) || time.Since(info.ModTime()) < abandonedAfter {
			return false
		}
	}
	for _, e := range entries {
		os.Remove(filepath.Join(dir, e.Name()))
	}
	return len(entries) > 0
}
