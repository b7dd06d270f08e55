package realms

import (
	"sync"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/realm"
)

// Memory caches parsed files between questions. So a question about a realm reads and parses only files that have
// changed since an earlier question. Repositories share no files. When the memory is full, it drops all files. Memory
// is safe for concurrent use. A nil Memory stores nothing.
type Memory struct {
	max   int64 // bytes of text; a parsed file takes about ten times as much
	mu    sync.Mutex
	files map[memoryKey]realm.File
	bytes int64
}

// memoryKey identifies the content of a file.
type memoryKey struct{ repo, path, digest string }

// NewMemory returns a memory for files with at most maxBytes bytes of text.
func NewMemory(maxBytes int64) *Memory { return &Memory{max: maxBytes} }

// get returns a file of a repository, and reports whether the memory has it.
func (m *Memory) get(repo string, f facts.File) (realm.File, bool) {
	if m == nil {
		return realm.File{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	file, known := m.files[memoryKey{repo, f.Path, f.Digest}]
	return file, known
}

// maxShare limits the size of a file in a Memory. A file larger than 1/maxShare of the max size is not kept.
const maxShare = 8

// put keeps a file of a repository.
func (m *Memory) put(repo string, f facts.File, file realm.File) {
	if m == nil || f.Size > m.max/maxShare {
		return
	}
	k := memoryKey{repo, f.Path, f.Digest}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.files[k]; known {
		return
	}
	size := int64(len(k.path)) + f.Size
	if m.files == nil || m.bytes+size > m.max {
		m.files, m.bytes = map[memoryKey]realm.File{}, 0
	}
	m.files[k] = file
	m.bytes += size
}
