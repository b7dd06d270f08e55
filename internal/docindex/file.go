package docindex

import (
	"cmp"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/blq-ci/blq/facts/docs"
)

// ending is the end of the names of index files.
const ending = ".index"

// maxFiles is the max number of files in a directory. The most recently used files stay.
const maxFiles = 30

// load returns the index in its file, or nil if there is no usable file.
func load(dir, digest string) *docs.Index {
	if dir == "" {
		return nil
	}
	name := filepath.Join(dir, digest+ending)
	b, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	index, err := docs.Open(b)
	if err != nil || index.Set() != digest {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // if this fails, the file is removed sooner
	return index
}

// loadNewest returns the index in the most recently used file. It returns nil if this file is not usable, or if there
// are no files.
func loadNewest(dir string) *docs.Index {
	if files := list(dir); len(files) > 0 {
		return load(dir, strings.TrimSuffix(files[0].name, ending))
	}
	return nil
}

// save writes an index to its file. If there are too many files, it removes the least recently used files. Errors are
// ignored because the index can be built again.
func save(dir, digest string, index *docs.Index) {
	if dir == "" || os.MkdirAll(dir, 0o755) != nil {
		return
	}
	f, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return
	}
	_, err = index.WriteTo(f)
	if closed := f.Close(); err != nil || closed != nil || os.Rename(f.Name(), filepath.Join(dir, digest+ending)) != nil {
		_ = os.Remove(f.Name()) // no reader uses the temporary file
		return
	}
	if files := list(dir); len(files) > maxFiles {
		for _, old := range files[maxFiles:] {
			_ = os.Remove(filepath.Join(dir, old.name))
		}
	}
}

// file is an index file.
type file struct {
	name string
	at   time.Time
}

// list returns the files of a directory, most recently used first.
func list(dir string) []file {
	entries, err := os.ReadDir(dir)
	if dir == "" || err != nil {
		return nil
	}
	var files []file
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasSuffix(e.Name(), ending) {
			files = append(files, file{e.Name(), info.ModTime()})
		}
	}
	sort.Slice(files, func(i, j int) bool {
		return cmp.Or(files[j].at.Compare(files[i].at), cmp.Compare(files[i].name, files[j].name)) < 0
	})
	return files
}
