package capture

import (
	"os"

	"golang.org/x/sys/unix"
)

// enlarge makes the pipe's buffer larger, so that the child blocks less. Unprivileged users have a
// limit; where it is exceeded, the pipe stays as it was.
func enlarge(pipe *os.File) {
	unix.FcntlInt(pipe.Fd(), unix.F_SETPIPE_SZ, pipeSize)
}

const pipeSize = 1 << 20
