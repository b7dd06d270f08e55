//go:build !unix

package worktree

import "io/fs"

// inode returns 0. On this system only size and times distinguish files.
func inode(fs.FileInfo) uint64 { return 0 }
