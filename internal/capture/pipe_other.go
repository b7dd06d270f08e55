//go:build unix && !linux

package capture

import (
	"errors"
	"os"
)

// enlarge does nothing, because these systems size their pipes themselves.
func enlarge(*os.File) {}

// anonymous returns false, because these systems do not show whether a pipe has a name.
func anonymous(*os.File) bool { return false }

// self returns the path of this program.
func self() (string, error) { return os.Executable() }

func parentOf(int) (int, error) { return 0, errors.ErrUnsupported }
