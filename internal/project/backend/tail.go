package backend

import (
	"bytes"
	"strings"
	"sync"

	"github.com/blq-ci/blq/query"
)

// tail keeps the end of an unrecorded output.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const (
	tailBytes = 32 << 10
	tailLines = 50
)

func (t *tail) add(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - tailBytes; over > tailBytes {
		t.text = append(t.text[:0], t.text[over:]...)
	}
}

// lines returns the last lines, without control characters.
func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := bytes.TrimSuffix(t.text[max(0, len(t.text)-tailBytes):], []byte("\n"))
	if len(text) == 0 {
		return nil
	}
	lines := strings.Split(string(text), "\n")
	lines = lines[max(0, len(lines)-tailLines):]
	for i := range lines {
		lines[i] = query.Clean(lines[i])
	}
	return lines
}
