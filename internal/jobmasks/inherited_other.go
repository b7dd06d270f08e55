//go:build !linux

package jobmasks

// inheritedKey returns nil. The environment of other processes is read only on Linux.
func inheritedKey() []byte { return nil }
