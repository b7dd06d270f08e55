package query

import "sync"

// Parts keeps what an answer in parts has read for one of its parts, because the others need it, too. What is in it
// was made of what does not change, and is found by a key that only those know who may see it. It keeps little: what
// was used longest ago is read again. A nil Parts keeps nothing. Parts may be used from several goroutines.
type Parts struct {
	mu   sync.Mutex
	kept []keptPart // the one that was used last is the last one
}

type keptPart struct {
	key   string
	value any
	bytes int
}

// These bound what is kept.
const (
	maxParts     = 8
	maxPartBytes = 64 << 20
)

// Get returns what is kept under a key, nil for nothing.
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

// Put keeps a value that takes about this number of bytes, if it is not too large.
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
