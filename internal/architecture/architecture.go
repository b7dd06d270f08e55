// Package architecture keeps the graphs of commits: in memory, and the indexes of their source files in a file, or as
// objects of repositories. It may import facts, facts/code, facts/graph and store.
package architecture

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/facts/graph"
)

// Gate is asked before source files are read, with their bytes. It may wait or refuse; end is called when their index
// is made.
type Gate func(ctx context.Context, text int64) (end func(), err error)

// Objects keeps bytes that were made of a set for others that need them.
type Objects interface {
	// Load returns the bytes of a set, nil if there are none.
	Load(ctx context.Context, repo string, set facts.Set) []byte
	// Keep keeps bytes, if it can.
	Keep(ctx context.Context, repo string, set facts.Set, b []byte)
}

// Facts are the facts that a graph is made of.
type Facts struct {
	Declared facts.Set // the files of the graph
	Sources  facts.Set
	Docs     facts.Set // nil for none
}

// Cache keeps graphs by repository and facts. Repositories share nothing. It is safe for concurrent use.
type Cache struct {
	max  int64 // bytes in the cache, about
	gate Gate  // may be nil
	// Objects has indexes of source files. It may be nil, and is set before the cache is used.
	Objects Objects

	mu      sync.Mutex
	entries map[key]*entry
	clock   int // of uses
}

type key struct{ repo, declared, sources, docs string }

// entry is a graph that is kept, or is being made.
type entry struct {
	turn     chan struct{}   // has room while nobody makes the graph
	snapshot *graph.Snapshot // nil until it is made
	size     int64
	used     int
}

// New returns a cache that keeps about that many bytes in memory, and at least one graph. The gate may be nil.
func New(maxBytes int64, gate Gate) *Cache {
	return &Cache{max: maxBytes, gate: gate, entries: map[key]*entry{}}
}

// Graph returns the graph of facts of a repository. The file has the newest index of source files that an earlier
// program made, "" for none.
func (c *Cache) Graph(ctx context.Context, file, repo string, f Facts) (*graph.Snapshot, error) {
	k := key{repo: repo, declared: f.Declared.Digest(), sources: f.Sources.Digest()}
	if f.Docs != nil {
		k.docs = f.Docs.Digest()
	}
	e := c.entry(k)
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if e.snapshot != nil {
		return e.snapshot, nil
	}
	s, err := c.make(ctx, file, repo, f)
	c.keep(k, e, s)
	return s, err
}

// make reads a graph.
func (c *Cache) make(ctx context.Context, file, repo string, f Facts) (*graph.Snapshot, error) {
	x, err := c.index(ctx, file, repo, f.Sources)
	if err != nil {
		return nil, err
	}
	g, rules, err := graph.Load(ctx, f.Declared, x)
	if err != nil {
		return nil, err
	}
	var named *graph.Documents
	if f.Docs != nil {
		if named, err = graph.ReadDocuments(ctx, g, f.Docs); err != nil {
			return nil, err
		}
	}
	return graph.NewSnapshot(g, rules, x, f.Docs, named), nil
}

// InMemory makes graphs without a file for the index of their source files.
type InMemory struct{ *Cache }

// Graph implements query.Graphs.
func (m InMemory) Graph(ctx context.Context, repo string, declared, sources, docs facts.Set) (*graph.Snapshot, error) {
	return m.Cache.Graph(ctx, "", repo, Facts{Declared: declared, Sources: sources, Docs: docs})
}

// entry returns the entry of a key.
func (c *Cache) entry(k key) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[k]
	if e == nil {
		e = &entry{turn: make(chan struct{}, 1)}
		c.entries[k] = e
	}
	c.clock++
	e.used = c.clock
	return e
}

// keep keeps a graph, nil for one that could not be made, and drops those that were used least recently. Graphs that
// are being made stay.
func (c *Cache) keep(k key, e *entry, s *graph.Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s == nil {
		if c.entries[k] == e {
			delete(c.entries, k)
		}
		return
	}
	e.snapshot, e.size = s, sizeOf(s)
	c.entries[k] = e
	for {
		var total int64
		var oldest key
		var last *entry
		for other, have := range c.entries {
			total += have.size
			if have != e && have.size > 0 && (last == nil || have.used < last.used) {
				oldest, last = other, have
			}
		}
		if total <= c.max || last == nil {
			return
		}
		delete(c.entries, oldest)
	}
}

// sizeOf returns about how many bytes a graph takes in memory.
func sizeOf(s *graph.Snapshot) int64 {
	n := int64(len(s.Nodes)*400 + len(s.Edges)*200 + 1000)
	for _, f := range s.Index.Files() {
		n += int64(400 + len(f.Symbols)*120 + len(f.Imports)*150)
	}
	return n
}

// index returns the index of source files. Only what an earlier index does not have is read.
func (c *Cache) index(ctx context.Context, file, repo string, set facts.Set) (*code.Index, error) {
	if x := c.made(repo, set.Digest()); x != nil {
		return x, nil
	}
	if c.Objects != nil {
		if x, ok := code.Open(c.Objects.Load(ctx, repo, set)); ok && x.Set() == set.Digest() {
			return x, nil
		}
	}
	before := read(file)
	if before == nil {
		before = c.made(repo, "")
	}
	if before != nil && before.Set() == set.Digest() {
		return before, nil
	}
	if c.gate != nil {
		var bytes int64
		for _, f := range set.Files() {
			bytes += f.Size
		}
		end, err := c.gate(ctx, bytes)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	x, err := code.Build(ctx, set, before)
	if err != nil {
		return nil, err
	}
	write(file, x)
	if c.Objects != nil {
		c.Objects.Keep(ctx, repo, set, x.Bytes())
	}
	return x, nil
}

// made returns the code index that a graph of a repository has for a set; with "" for the set, the index of the graph
// that was used last; nil for none.
func (c *Cache) made(repo, set string) *code.Index {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found *entry
	for k, e := range c.entries {
		if k.repo == repo && (set == "" || k.sources == set) && e.size > 0 && (found == nil || e.used > found.used) {
			found = e
		}
	}
	if found == nil {
		return nil
	}
	return found.snapshot.Index
}

// read returns the index that a file has, nil for none.
func read(file string) *code.Index {
	text, err := os.ReadFile(file)
	if file == "" || err != nil {
		return nil
	}
	x, ok := code.Open(text)
	if !ok {
		return nil
	}
	return x
}

// write writes an index to a file. One that cannot be written is made again.
func write(file string, x *code.Index) {
	if file == "" || os.MkdirAll(filepath.Dir(file), 0o755) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".tmp-")
	if err != nil {
		return
	}
	_, err = f.Write(x.Bytes())
	if closed := f.Close(); err != nil || closed != nil || os.Rename(f.Name(), file) != nil {
		_ = os.Remove(f.Name()) // nothing reads it
	}
}
