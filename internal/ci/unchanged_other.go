//go:build !linux

package ci

// unchanged returns false. On Linux, blq checks without git whether the tracked files are those of the commit. On other
// systems, it cannot.
func (repo) unchanged(string) bool { return false }
