package capture

import (
	"bytes"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// enlarge makes the pipe's buffer larger, so that the child blocks less often. The buffer does not change if the
// limit for unprivileged users is exceeded.
func enlarge(pipe *os.File) {
	unix.FcntlInt(pipe.Fd(), unix.F_SETPIPE_SZ, maxHeld)
}

// anonymous reports whether a file is a pipe without a name. Once such a pipe has no reader, it never has a reader
// again.
func anonymous(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	var fs unix.Statfs_t
	controlErr := conn.Control(func(fd uintptr) { err = unix.Fstatfs(int(fd), &fs) })
	return controlErr == nil && err == nil && fs.Type == unix.PIPEFS_MAGIC
}

// self returns a path of this program that stays valid after the program's file is removed.
func self() (string, error) { return "/proc/self/exe", nil }

// parentOf returns the parent of a process.
func parentOf(pid int) (parent int, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	var state string
	_, err = fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &parent)
	return parent, err
}
