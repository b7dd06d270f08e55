package query

import "sync"

// Parts is a cache for answers that callers request in parts. It has values that the later parts of an answer need.
// A value never becomes outdated. Its key is known only to callers who may see the value. The cache is small, and
// drops the least recently used values first. A nil Parts caches nothing. Several goroutines may use a Parts.
type Parts struct {
	mu   sync.Mutex
	kept []keptPart // the least recently used part comes first
}

type keptPart struct {
	key   string
	value any
	bytes int
}

// These limit the number of cached values, and the sum of their sizes in bytes.
const (
	maxParts     = 8
	maxPartBytes = 64 << 20
)

// Get returns the value of a key, or nil if the cache has no such value.
func (p *Parts) Get(key string) any {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, k := range p.kept {
		if k.key == key {
			p.kept = append(append(p.kept[:i:i], p.kept[i+1:]...), k)
			return k.value
		}
	}
	return nil
}

// Put adds a value with its approximate size in bytes. It does nothing if the value is too large.
func (p *Parts) Put(key string, value any, bytes int) {
	if p == nil || bytes > maxPartBytes/2 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	sum := bytes
	list := []keptPart{{key, value, bytes}}
	for i := len(p.kept) - 1; i >= 0; i-- {
		k := p.kept[i]
		if k.key == key {
			continue
		}
		if sum += k.bytes; sum <= maxPartBytes && len(list) < maxParts {
			list = append([]keptPart{k}, list...)
		}
	}
	p.kept = list
}
