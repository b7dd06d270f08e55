//go:build unix && !linux

package capture

import "os"

// enlarge does nothing: these systems size their pipes themselves.
func enlarge(*os.File) {}

// anonymous returns false: these systems do not tell.
func anonymous(*os.File) bool { return false }

// self is a path of this program.
func self() (string, error) { return os.Executable() }
