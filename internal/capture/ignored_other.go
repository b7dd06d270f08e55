//go:build unix && !linux

package capture

// inheritIgnored does nothing where the system does not tell what other processes ignore.
func inheritIgnored() {}
