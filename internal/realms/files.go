// Package realms finds the realms of repositories whose facts are in a store, for callers who may not see all of them.
// Package internal/project/realms does so on one machine. The package may import facts, facts/realm, query and store.
package realms

import (
	"context"
	"os"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/store"
)

// Files are the files of a repository about realms.
type Files []realm.File

// Get returns the text of a file, nil if it is not there.
func (f Files) Get(path string) []byte {
	for _, one := range f {
		if one.Path == path {
			return one.Text
		}
	}
	return nil
}

// IsRealm reports whether the files are those of a realm's own repository.
func (f Files) IsRealm() bool { return f.Get("realm.yaml") != nil || f.Get("realm.yml") != nil }

// maxBytes is the max number of bytes of files that are read from a repository.
const maxBytes = 64 << 20

// Read reads the files of a set. What has gone meanwhile is empty.
func Read(ctx context.Context, set facts.Set) (Files, error) {
	var all Files
	var bytes int64
	for _, f := range set.Files() {
		if bytes += f.Size; bytes > maxBytes {
			return all, store.Errorf(store.TooLarge, "the files of the realm have more than %d bytes", maxBytes)
		}
		text, err := set.Read(ctx, f)
		if err != nil && store.CodeOf(err) != store.NotFound && !os.IsNotExist(err) && !os.IsPermission(err) {
			return all, err
		}
		if err != nil {
			text = nil
		}
		all = append(all, realm.File{Path: f.Path, Text: text})
	}
	return all, nil
}
