package capture

import (
	"os"

	"golang.org/x/sys/unix"
)

// enlarge lets the child write more before it has to wait for us. Unprivileged
// users have a limit; over it, the pipe stays as it was.
func enlarge(pipe *os.File) {
	unix.FcntlInt(pipe.Fd(), unix.F_SETPIPE_SZ, pipeSize)
}

const pipeSize = 1 << 20
