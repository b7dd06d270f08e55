package blob

import (
	"errors"
	"syscall"
)

// isFull reports whether an error is ERROR_DISK_FULL or ERROR_HANDLE_DISK_FULL.
func isFull(err error) bool {
	return errors.Is(err, syscall.Errno(112)) || errors.Is(err, syscall.Errno(39))
}
