//go:build !linux

package jobmasks

// inheritedKey returns nil, because this system does not show the environment of other processes.
func inheritedKey() []byte { return nil }
