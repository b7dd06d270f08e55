package docindex

import (
	"context"
	"os"
	"path/filepath"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
)

// Kept returns a stored index of a repository's documents: from memory, from a file or from an object. It returns nil
// if no index is stored. It builds an index only if the stored index is broken.
func (c *Cache) Kept(ctx context.Context, dir, repo string, set facts.Set) *docs.Index {
	k := key{repo, set.Digest()}
	c.mu.Lock()
	e := c.entries[k]
	known := e != nil && e.index != nil
	c.mu.Unlock()
	if !known && dir != "" {
		_, err := os.Stat(filepath.Join(dir, k.digest+ending))
		known = err == nil
	}
	if !known && !c.Objects.has(ctx, repo, set) {
		return nil
	}
	index, err := c.Index(ctx, dir, repo, set)
	if err != nil {
		return nil
	}
	return index
}
