package realms

import (
	"sync"

	"github.com/blq-ci/blq/facts/worktree"
)

// objects caches git objects of the repositories on this machine, so that few objects are read from git again.
var objects = &worktree.Memory{}

// recent has the files that were last read in the work trees of repositories. Agents ask often, so files that have not
// changed are not parsed and checked again.
var recent = &workTrees{}

// maxRecent is the max number of bytes of recent files.
const maxRecent = 4 << 20

// workTrees caches files of work trees, by directory.
type workTrees struct {
	mu    sync.Mutex
	files map[string]files
	bytes int
}

func (w *workTrees) of(dir string) files {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.files[dir]
}

// set replaces the files of a directory. If the cache would exceed maxRecent, set removes the files of all other
// directories. Files that alone exceed maxRecent are not cached.
func (w *workTrees) set(dir string, now files) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bytes += size(now) - size(w.files[dir])
	if w.files == nil || w.bytes > maxRecent {
		w.files, w.bytes = map[string]files{}, size(now)
	}
	if w.files[dir] = now; w.bytes > maxRecent {
		w.files, w.bytes = nil, 0
	}
}

func size(all files) (bytes int) {
	for _, f := range all {
		bytes += len(f.Text)
	}
	return bytes
}
