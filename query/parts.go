package query

import "sync"

// Parts is a cache for answers in parts. An answer caches values that the next parts of the same answer need. The
// values depend only on data that never changes. Only callers who may see a value know its key. The cache is small, and
// drops the least recently used values first. A nil Parts caches nothing. Parts may be used from several goroutines.
type Parts struct {
	mu   sync.Mutex
	kept []keptPart // the least recently used part comes first
}

type keptPart struct {
	key   string
	value any
	bytes int
}

// These limits bound the cache.
const (
	maxParts     = 8
	maxPartBytes = 64 << 20
)

// Get returns the value with a key, or nil if there is none.
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
