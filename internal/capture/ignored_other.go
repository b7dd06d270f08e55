//go:build unix && !linux

package capture

// inheritIgnored does nothing where the system does not say which signals other processes ignore.
func inheritIgnored() {}
