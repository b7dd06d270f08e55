// Package regularfile opens only regular files and the null device, because other files may block the program. Opening
// a named pipe waits for a writer, and a device may never end. The package may import the standard library only.
package regularfile

import (
	"io"
	"io/fs"
	"os"
)

// Open opens a regular file or the null device. It returns an error for any other file. For a missing file, the error
// is fs.ErrNotExist.
func Open(name string) (*os.File, error) {
	if err := check(name); err != nil {
		return nil, err
	}
	return os.Open(name)
}

// ReadFile returns the content of a file. It returns an error for files that Open does not open.
func ReadFile(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func check(name string) error {
	info, err := os.Stat(name)
	if err != nil || info.Mode().IsRegular() {
		return err
	}
	if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(null, info) {
		return nil
	}
	return &fs.PathError{Op: "open", Path: name, Err: errKind(kind(info.Mode()))}
}

// errKind is the error for a file that is not regular. Its text is the kind of the file.
type errKind string

func (k errKind) Error() string { return string(k) + ", not a regular file" }

func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "it is a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "it is a named pipe"
	case mode&fs.ModeSocket != 0:
		return "it is a socket"
	}
	return "it is a device"
}
