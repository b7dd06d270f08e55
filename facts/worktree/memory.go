package worktree

import "sync"

// maxRemembered is the max number of bytes in a memory. maxObject is the max number of bytes of one file, and
// maxListing is the max number of bytes of a list of files.
const (
	maxRemembered = 8 << 20
	maxObject     = 256 << 10
	maxListing    = 4 << 20
)

// Memory caches the contents of git objects, and lists of the files of commits. It also has the git processes that read
// objects. Several sources may share a memory, even if they have different repositories. Git objects never change. When
// the memory is full, it drops all contents and lists.
type Memory struct {
	mu      sync.Mutex
	objects map[string]object
	bytes   int
	readers map[string]*reader // readers of files, by the top of the work tree
}

// object is the content of a git object, and its digest.
type object struct {
	content []byte
	digest  string
}

// reader returns the reader of a work tree. All sets of files from this work tree share it, and so they share its git
// process. A nil memory has no readers to share.
func (m *Memory) reader(top string) *reader {
	if m == nil {
		return &reader{top: top}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.readers == nil {
		m.readers = map[string]*reader{}
	}
	if m.readers[top] == nil {
		m.readers[top] = &reader{top: top}
	}
	return m.readers[top]
}

// get returns an object, and reports whether the memory has it. A nil memory has no objects.
func (m *Memory) get(id string) (object, bool) {
	if m == nil {
		return object{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	o, known := m.objects[id]
	return o, known
}

// put remembers an object, unless it is larger than maxObject.
func (m *Memory) put(id string, o object) {
	if len(o.content) <= maxObject {
		m.add(id, o)
	}
}

// listing returns what git lists of a commit. The parameter kind names the list. If the memory has no such list,
// listing calls list. It remembers the result, unless the result is too large or an error.
func (m *Memory) listing(kind, commit string, list func() ([]byte, error)) ([]byte, error) {
	id := kind + " " + commit
	if o, known := m.get(id); known {
		return o.content, nil
	}
	out, err := list()
	if err == nil && len(out) <= maxListing {
		m.add(id, object{content: out})
	}
	return out, err
}

func (m *Memory) add(id string, o object) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.objects[id]; known {
		return
	}
	if m.objects == nil || m.bytes+len(o.content) > maxRemembered {
		m.objects, m.bytes = map[string]object{}, 0
	}
	m.objects[id] = o
	m.bytes += len(o.content)
}
