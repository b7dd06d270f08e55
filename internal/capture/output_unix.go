//go:build unix

package capture

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// unread reports whether a file is a pipe without a reader.
func unread(f *os.File) bool {
	gone, err := awaitUnread(f, 0)
	return err == nil && gone
}

// awaitUnread waits at most the given time until a pipe has no reader. It reports whether the pipe has no reader.
func awaitUnread(f *os.File, wait time.Duration) (bool, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	gone := false
	err = conn.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd)}} // poll always waits for errors
		n, err := unix.Poll(fds, int(wait.Milliseconds()))
		gone = err == nil && n == 1 && fds[0].Revents&unix.POLLERR != 0
	})
	return gone, err
}

// readable reports whether a read from a pipe or terminal would return immediately.
func readable(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	ready := false
	err = conn.Control(func(fd uintptr) {
		for {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
			if !errors.Is(err, unix.EINTR) {
				ready = n == 1
				return
			}
		}
	})
	return err == nil && ready
}

// awaitWritable is called after a failed write. If the write failed with EAGAIN, awaitWritable waits until the file
// accepts bytes again, and returns true. After any other error it returns false at once.
func awaitWritable(f *os.File, failed error) bool {
	if !errors.Is(failed, unix.EAGAIN) {
		return false
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	if controlErr := conn.Control(func(fd uintptr) {
		_, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, -1)
	}); controlErr != nil {
		return false
	}
	return err == nil || errors.Is(err, unix.EINTR)
}
