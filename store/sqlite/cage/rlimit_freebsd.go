//go:build freebsd || dragonfly

package cage

import "golang.org/x/sys/unix"

func setLimit(l *unix.Rlimit, soft, hard uint64) {
	l.Cur, l.Max = min(l.Cur, int64(soft)), min(l.Max, int64(hard))
}
