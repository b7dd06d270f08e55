//go:build !windows

package blob

import (
	"errors"
	"os"
)

// syncDir syncs the entries of a directory to the disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
