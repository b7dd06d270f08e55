//go:build unix && !freebsd && !dragonfly

package cage

import "golang.org/x/sys/unix"

func setLimit(l *unix.Rlimit, soft, hard uint64) { l.Cur, l.Max = min(l.Cur, soft), min(l.Max, hard) }
