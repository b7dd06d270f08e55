//go:build unix

package project

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A configuration file that is a named pipe is an error. It is not waited for.
func TestConfigurationIsARegularFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "config.toml")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadConfig(name); err == nil || !strings.Contains(err.Error(), "named pipe") {
		t.Errorf("the error is %v", err)
	}
}
