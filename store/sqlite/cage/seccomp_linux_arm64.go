package cage

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_AARCH64

// allowedHere holds system calls that only this architecture has.
var allowedHere []uint32
