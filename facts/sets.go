package facts

import (
	"sync"
)

// Sets caches the recently used sets of stored facts, so that questions need not read their manifests again.
// Repositories share no sets. Sets is safe for concurrent use.
type Sets struct {
	max  int64 // max bytes of manifests; the parsed sets take several times as much
	mu   sync.Mutex
	kept map[setKey]*keptSet
	sum  int64 // bytes of manifests
	uses int
}

type setKey struct{ repo, manifest string }

type keptSet struct {
	*Listed
	used int
}

// NewSets returns a cache for sets with at most maxBytes bytes of manifests.
func NewSets(maxBytes int64) *Sets { return &Sets{max: maxBytes, kept: map[setKey]*keptSet{}} }

// get returns the cached set of a manifest, or nil. A nil Sets caches nothing.
func (s *Sets) get(k setKey) *Listed {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.kept[k]
	if found == nil {
		return nil
	}
	s.uses++
	found.used = s.uses
	return found.Listed
}

// put adds a set, and drops the least recently used sets.
func (s *Sets) put(k setKey, l *Listed) {
	if s == nil || int64(len(l.Text)) > s.max {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept[k] != nil {
		return
	}
	s.uses++
	s.kept[k] = &keptSet{l, s.uses}
	s.sum += int64(len(l.Text))
	for s.sum > s.max {
		var oldest setKey
		for k, have := range s.kept {
			if o := s.kept[oldest]; o == nil || have.used < o.used {
				oldest = k
			}
		}
		s.sum -= int64(len(s.kept[oldest].Text))
		delete(s.kept, oldest)
	}
}
