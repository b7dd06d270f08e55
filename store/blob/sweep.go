package blob

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// abandoned is the age after which no writer works on a temporary file any more.
const abandoned = 24 * time.Hour

// sweep removes the files of dead writers from a directory. It does so only if the directory has no other files. It
// reports whether it removed a file.
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
