package blob

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// abandoned is how old a temporary file is whose writer is surely gone.
const abandoned = 24 * time.Hour

// sweep removes what writers that died left in a directory that holds nothing
// else. It reports whether there was any.
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
