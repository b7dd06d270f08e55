// Package architecture caches the graphs of commits in memory. It keeps the indexes of their source files in a file,
// or as objects of repositories. The package may import facts, facts/code, facts/graph and store.
package architecture

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// Gate limits the indexing of source files, and the reading of large graphs. text is the number of bytes to read. Gate
// may wait, or return an error to refuse the work. The caller calls end when the index or graph is finished.
type Gate func(ctx context.Context, text int64) (end func(), err error)

// Objects stores indexes of source files by the set of these files, so that other processes can load the indexes.
type Objects interface {
	// Load returns the stored bytes for a set, or nil if there are none.
	Load(ctx context.Context, repo string, set facts.Set) []byte
	// Keep stores the bytes of the index of a set, if possible.
	Keep(ctx context.Context, repo string, set facts.Set, b []byte)
}

// Facts are the sets from which a graph is made.
type Facts struct {
	Declared facts.Set // the YAML files of the graph
	Sources  facts.Set
	Docs     facts.Set // nil for none
}

// Cache caches graphs by repository and facts. Repositories share no graphs. Cache is safe for concurrent use.
type Cache struct {
	max  int64 // approximate max bytes in memory
	gate Gate  // may be nil
	// Objects stores indexes of source files. It may be nil. Set it before the first use of the cache.
	Objects Objects

	mu      sync.Mutex
	entries map[key]*entry
	clock   int // number of uses so far
}

type key struct{ repo, declared, sources, docs string }

// entry is a graph that is cached or under construction.
type entry struct {
	turn     chan struct{}   // holds one token while somebody makes the graph
	snapshot *graph.Snapshot // nil until the graph is finished
	refused  error           // why there is no graph for these facts: it is too large
	size     int64
	used     int
}

// New returns a cache of about maxBytes bytes in memory. It keeps a new graph of any size. The gate may be nil.
func New(maxBytes int64, gate Gate) *Cache {
	return &Cache{max: maxBytes, gate: gate, entries: map[key]*entry{}}
}

// Graph returns the graph for the facts of a repository. file is the path of an index that an earlier process stored,
// or "" for none.
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
	if e.snapshot != nil || e.refused != nil {
		return e.snapshot, e.refused
	}
	s, err := c.make(ctx, file, repo, f)
	if store.CodeOf(err) == store.TooLarge {
		e.refused = err
	}
	c.keep(k, e, s)
	return s, err
}

// make makes the graph of a repository from its facts.
func (c *Cache) make(ctx context.Context, file, repo string, f Facts) (*graph.Snapshot, error) {
	x, err := c.index(ctx, file, repo, f.Sources)
	if err != nil {
		return nil, err
	}
	if text := bytesOf(f.Declared); c.gate != nil && text > largeGraph {
		end, err := c.gate(ctx, text)
		if err != nil {
			return nil, err
		}
		defer end()
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

// largeGraph is the total size of a graph's YAML files in bytes. Above this size, the gate decides when the graph may
// be made, because it takes much memory.
const largeGraph = 512 << 10

// bytesOf returns the size of all files of a set.
func bytesOf(set facts.Set) (n int64) {
	for _, f := range set.Files() {
		n += f.Size
	}
	return n
}

// InMemory caches graphs without an index file.
type InMemory struct{ *Cache }

// Graph implements query.Graphs.
func (m InMemory) Graph(ctx context.Context, repo string, declared, sources, docs facts.Set) (*graph.Snapshot, error) {
	return m.Cache.Graph(ctx, "", repo, Facts{Declared: declared, Sources: sources, Docs: docs})
}

// entry returns the entry of a key. It adds an empty entry if there is none.
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

// keep stores the finished graph of an entry. After that it drops the least recently used other graphs until all graphs
// together take at most c.max bytes. s is nil if the graph could not be made. If the graph was refused because it is
// too large, the entry stays, so that the next question does not read the files again. After any other error, keep
// removes the entry.
func (c *Cache) keep(k key, e *entry, s *graph.Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case s != nil:
		e.snapshot, e.size = s, sizeOf(s)
	case e.refused != nil:
		e.size = sizeOfRefusal
	default:
		if c.entries[k] == e {
			delete(c.entries, k)
		}
		return
	}
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

// sizeOfRefusal is the approximate memory of an entry without a graph in bytes.
const sizeOfRefusal = 2000

// sizeOf returns the approximate memory of a graph in bytes.
func sizeOf(s *graph.Snapshot) int64 {
	n := int64(len(s.Nodes)*400 + len(s.Edges)*200 + 1000)
	for _, f := range s.Index.Files() {
		n += int64(400 + len(f.Symbols)*120 + len(f.Imports)*150)
	}
	return n
}

// index returns the index of source files. It reads and parses only files that an earlier index lacks.
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
		end, err := c.gate(ctx, bytesOf(set))
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

// made returns the source index of a cached graph whose source files are the given set, or nil if there is none. If
// set is empty, made returns the source index of the most recently used graph.
func (c *Cache) made(repo, set string) *code.Index {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found *entry
	for k, e := range c.entries {
		if k.repo == repo && (set == "" || k.sources == set) && e.snapshot != nil && (found == nil || e.used > found.used) {
			found = e
		}
	}
	if found == nil {
		return nil
	}
	return found.snapshot.Index
}

// read returns the index in a file, or nil if the file has no usable index. The name "" means no file.
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

// write writes an index to a file. Errors are ignored because the index can be made again.
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
		_ = os.Remove(f.Name()) // no reader uses the temporary file
	}
}
