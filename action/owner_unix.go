//go:build unix

package action

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// These limits bound the search for files whose owner is changed.
const (
	maxOwned   = 2_000_000
	ownedWhile = 30 * time.Second
)

// restoreOwner changes the owner of files that belong to root, because later steps could not remove these files. It
// searches blq's own files. If the step ran in a container, it also searches the workspace.
func (s *wrapped) restoreOwner() {
	if os.Getuid() != 0 {
		return
	}
	until := time.Now().Add(ownedWhile)
	owners := map[string]string{}
	if s.state != "" {
		owners[string(s.state)] = filepath.Dir(string(s.state))
	}
	if dir := s.Getenv("GITHUB_WORKSPACE"); dir != "" && s.Getenv(containerVariable) != "" {
		owners[dir] = dir
	}
	for dir, of := range owners {
		if !s.changeOwner(dir, of, until) {
			s.warn("some files in %s still belong to root: there are too many of them", dir)
		}
	}
}

// changeOwner changes the owner of root's files below dir. The new owner is the owner of the folder model. It returns
// false if it stopped early: there are more than maxOwned files, the time is over, or the step has to end.
func (s *wrapped) changeOwner(dir, model string, until time.Time) bool {
	uid, gid, ok := ownerOf(model)
	if !ok || uid == 0 {
		return true
	}
	seen, whole := 0, true
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // unreadable files stay unchanged
		if seen++; seen > maxOwned || time.Now().After(until) || s.quit.ctx.Err() != nil {
			whole = false
			return filepath.SkipAll
		}
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid == 0 {
				_ = os.Lchown(path, uid, gid)
			}
		}
		return nil
	})
	return whole
}

func ownerOf(dir string) (uid, gid int, ok bool) {
	info, err := os.Stat(dir)
	if err != nil {
		return 0, 0, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(st.Uid), int(st.Gid), true
}
