// Package docindex caches the indexes of documents in memory. It can also keep them in files or as objects of
// repositories. The package may import facts, facts/docs and store.
package docindex

import (
	"context"
	"errors"
	"sync"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
)

// Gate limits the building of indexes, because long documents need much memory. text is the size of the documents in
// bytes. Gate may wait, or return an error to refuse the work. The caller calls end when the index is built.
type Gate func(ctx context.Context, text int64) (end func(), err error)

// Cache keeps indexes in memory, by repository and digest of the documents. It is safe for concurrent use.
type Cache struct {
	max  int64 // max bytes of all indexes in memory, with the texts that they keep
	gate Gate  // may be nil
	// Objects shares indexes with other replicas. It may be nil. Set it before the first use of the cache.
	Objects *Objects

	mu      sync.Mutex
	entries map[key]*entry
	bytes   map[string]int64 // bytes by repository
	clock   int              // number of uses so far
}

// key identifies documents of a repository. Repositories share no indexes. Otherwise the time of an answer could
// reveal the documents of others.
type key struct{ repo, digest string }

// entry is an index that is cached or under construction.
type entry struct {
	ready chan struct{} // closed when index or err is set
	index *docs.Index
	err   error
	used  int
}

// New returns a cache for about maxBytes bytes of indexes in memory. The gate may be nil.
func New(maxBytes int64, gate Gate) *Cache {
	return &Cache{max: maxBytes, gate: gate, entries: map[key]*entry{}, bytes: map[string]int64{}}
}

// Index returns the index of a repository's documents. dir is the directory with the index files of earlier processes,
// or "" for none.
func (c *Cache) Index(ctx context.Context, dir, repo string, set facts.Set) (*docs.Index, error) {
	k := key{repo, set.Digest()}
	for {
		e, mine := c.enter(k)
		if mine {
			return c.make(ctx, k, e, dir, set)
		}
		select {
		case <-e.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if e.err == nil {
			return e.index, nil
		}
		if ctx.Err() != nil { // otherwise the builder may have been cancelled, so try again
			return nil, ctx.Err()
		}
	}
}

// enter returns the entry of a key, and reports whether the caller has to build the entry's index.
func (c *Cache) enter(k key) (*entry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	if e := c.entries[k]; e != nil {
		e.used = c.clock
		return e, false
	}
	e := &entry{ready: make(chan struct{}), used: c.clock}
	c.entries[k] = e
	return e, true
}

// make loads or builds the index of an entry, and publishes it.
func (c *Cache) make(ctx context.Context, k key, e *entry, dir string, set facts.Set) (*docs.Index, error) {
	e.err = errPanic // stays if the build panics
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if e.err != nil {
			delete(c.entries, k)
		}
		close(e.ready)
	}()
	index := load(dir, k.digest)
	if index == nil {
		index = c.Objects.load(ctx, k.repo, set)
	}
	if index == nil {
		var err error
		if index, err = c.build(ctx, k, dir, set); err != nil {
			e.err = err
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e.index, e.err = index, nil
	c.bytes[k.repo] += index.Memory()
	c.shrink(k)
	return index, nil
}

var errPanic = errors.New("the index of the documents could not be built")

// build builds the index of a set, and stores it in dir and Objects. It reuses parts of an earlier index.
func (c *Cache) build(ctx context.Context, k key, dir string, set facts.Set) (*docs.Index, error) {
	if c.gate != nil {
		var text int64
		for _, f := range set.Files() {
			text += f.Size
		}
		end, err := c.gate(ctx, text)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	before := c.before(k.repo)
	if before == nil {
		before = loadNewest(dir)
	}
	index, err := docs.Build(ctx, set, before)
	if err == nil {
		save(dir, k.digest, index)
		c.Objects.keep(ctx, k.repo, set, index)
	}
	return index, err
}

// before returns the most recently used index of the repository, or nil for none.
func (c *Cache) before(repo string) *docs.Index {
	c.mu.Lock()
	defer c.mu.Unlock()
	var newest *entry
	for k, e := range c.entries {
		if k.repo == repo && e.index != nil && (newest == nil || e.used > newest.used) {
			newest = e
		}
	}
	if newest == nil {
		return nil
	}
	return newest.index
}

// shrink drops indexes until the remaining indexes fit. It never drops the index with the key except. In each step it
// selects the repository that uses the most memory, and drops the least recently used index of this repository. So one
// repository does not displace the indexes of other repositories.
func (c *Cache) shrink(except key) {
	for {
		var total int64
		largest := ""
		for repo, n := range c.bytes {
			total += n
			if n > c.bytes[largest] || n == c.bytes[largest] && repo < largest {
				largest = repo
			}
		}
		if total <= c.max {
			return
		}
		k, found := c.oldest(largest, except)
		if !found {
			return
		}
		c.bytes[k.repo] -= c.entries[k].index.Memory()
		if c.bytes[k.repo] == 0 {
			delete(c.bytes, k.repo)
		}
		delete(c.entries, k)
	}
}

// oldest returns the key of the least recently used index of a repository, other than the index with the key in the
// parameter except. The result ok reports whether there is one.
func (c *Cache) oldest(repo string, except key) (oldest key, ok bool) {
	for k, e := range c.entries {
		if k.repo == repo && k != except && e.index != nil && (!ok || e.used < c.entries[oldest].used) {
			oldest, ok = k, true
		}
	}
	return oldest, ok
}
