//go:build unix

package worktree

import (
	"io/fs"
	"syscall"
)

// inode returns the inode number of a file.
func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}
