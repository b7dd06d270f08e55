// Package unnamed creates temporary files without a name. Such a file disappears even if the process is killed. On
// Windows, the files keep their names. The package may import the standard library only.
package unnamed

import (
	"os"
	"runtime"
)

// Create creates a temporary file in a directory, as os.CreateTemp does, and removes its name. Some systems cannot
// remove the names of open files. On these systems, Discard removes the file.
func Create(dir, pattern string) (*os.File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err == nil {
		os.Remove(f.Name())
	}
	return f, err
}

// Discard closes and removes a file from Create.
func Discard(f *os.File) {
	f.Close()
	if runtime.GOOS == "windows" {
		os.Remove(f.Name())
	}
}
