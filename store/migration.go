package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// NewestMigration returns the highest number of an engine's migrations. The number is at the beginning of the name, as
// in 00002_baseline.sql.
func NewestMigration(migrations fs.FS) (int64, error) {
	files, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		return 0, fmt.Errorf("read migrations: %w", err)
	}
	if len(files) == 0 {
		return 0, errors.New("read migrations: there are none")
	}
	return MigrationNumber(files[len(files)-1]) // the files are sorted by name
}

// MigrationNumber returns the number at the beginning of a migration's name.
func MigrationNumber(name string) (int64, error) {
	number, _, _ := strings.Cut(name, "_")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("migration %s: %w", name, err)
	}
	return n, nil
}
