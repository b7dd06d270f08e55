package cage

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_X86_64

// allowedHere holds the system calls that are allowed only on this architecture.
var allowedHere = []uint32{unix.SYS_EPOLL_WAIT, unix.SYS_ARCH_PRCTL}
