package facts

import (
	"github.com/blq-ci/blq/store"
)

// These are the limits of a Set: of its files and of its manifest, which lists them.
const (
	maxFiles    = 20_000
	MaxFile     = 32 << 20  // bytes of a file
	maxBytes    = 256 << 20 // bytes of all files
	MaxManifest = 8 << 20   // bytes of the manifest
)

// Excluding is the hint for a user whose set is too large.
const Excluding = "leave out what readers do not need: blq facts push --exclude DIRECTORY, or in the Action's input " +
	"facts: auto -DIRECTORY"

// Size counts the files of a set.
type Size struct {
	Kind  store.FactKind
	Files int
	Bytes int64
}

// Add adds a file. The error is TooLarge if the file or the sum of all files is over a limit, or if there are too many
// files.
func (s *Size) Add(path string, size int64) error {
	s.Files++
	s.Bytes += size
	var err error
	switch {
	case size > MaxFile:
		err = store.Errorf(store.TooLarge, "%s has %d bytes; a file of facts has at most %d", path, size, MaxFile)
	case s.Files > maxFiles:
		err = store.Errorf(store.TooLarge, "more than %d files of %s, which is the limit", maxFiles, s.Kind)
	case s.Bytes > maxBytes:
		err = store.Errorf(store.TooLarge, "the files of %s have more than %d bytes together, which is the limit", s.Kind,
			maxBytes)
	}
	return store.Hint(err, Excluding)
}
