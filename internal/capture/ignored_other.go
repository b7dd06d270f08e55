//go:build unix && !linux

package capture

// inheritIgnored does nothing on systems that do not show the ignored signals of other processes.
func inheritIgnored() {}
