//go:build !windows

package blob

import (
	"errors"
	"syscall"
)

// isFull reports whether the disk is full, a quota is used up, or a file would exceed the limit of the process.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
