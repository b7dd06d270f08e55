//go:build !linux

package ci

// unchanged returns false, because this system has no way to check without git that the tracked files are those of the
// commit.
func (repo) unchanged(string) bool { return false }
