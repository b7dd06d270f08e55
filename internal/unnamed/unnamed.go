// Package unnamed has temporary files without a name, so that nothing of them stays when the process is killed. It may
// import the standard library only.
package unnamed

import (
	"os"
	"runtime"
)

// Create creates a temporary file in a directory, as os.CreateTemp does, and removes its name. Where a system does not
// remove the names of open files, Discard does.
func Create(dir, pattern string) (*os.File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err == nil {
		os.Remove(f.Name())
	}
	return f, err
}

// Discard closes a file that Create returned. Nothing of it stays.
func Discard(f *os.File) {
	f.Close()
	if runtime.GOOS == "windows" {
		os.Remove(f.Name())
	}
}
