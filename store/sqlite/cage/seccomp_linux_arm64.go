package cage

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_AARCH64

// allowedHere holds the system calls that are allowed only on this architecture.
var allowedHere []uint32
