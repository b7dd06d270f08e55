//go:build !linux

package ci

// unchanged returns false. Only on Linux can blq check without git that the tracked files are those of the commit.
func (repo) unchanged(string) bool { return false }
