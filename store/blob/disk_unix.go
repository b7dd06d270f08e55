//go:build !windows

package blob

import (
	"errors"
	"syscall"
)

// isFull reports whether an error is for want of space: of the disk, of a quota,
// or of what a process may write.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
