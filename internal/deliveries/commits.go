package deliveries

import (
	"strings"
	"sync"

	"github.com/blq-ci/blq/internal/github"
)

// commits caches the files of commits, up to a number of bytes. To make room, it removes the least recently used commit
// of the owner that uses the most memory. So an owner with large or many commits does not push out the commits of other
// owners.
type commits struct {
	mu    sync.Mutex
	kept  map[commitKey]*keptCommit
	bytes int
	uses  int64
}

// maxCommitBytes is the max size of the cache in bytes. Each commit counts as commitBytes, plus the size of its files.
// So the number of commits is limited, too.
const (
	maxCommitBytes = 128 << 20
	commitBytes    = maxCommitBytes / 1000
)

type commitKey struct {
	place string
	repo  string
	sha   string
}

type keptCommit struct {
	commit
	bytes int
	used  int64
}

// of returns the cached files of a commit.
func (c *commits) of(client *github.Client, at place, repo, sha string) files {
	key := commitKey{at.String(), repo, sha}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uses++
	k := c.kept[key]
	if k == nil {
		k = &keptCommit{commit: commit{repo: repo, sha: sha, texts: map[string]string{}}, used: c.uses}
		if c.kept == nil {
			c.kept = map[commitKey]*keptCommit{}
		}
		c.kept[key] = k
		c.add(key, commitBytes)
	}
	k.used = c.uses
	return files{commit: &k.commit, client: client, keep: func(n int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.kept[key] == k { // the commit may have been removed in the meantime
			c.add(key, n)
		}
	}}
}

// add adds n bytes to the size of a cached commit. Then it removes commits while the cache is too large.
func (c *commits) add(key commitKey, n int) {
	c.kept[key].bytes += n
	c.bytes += n
	for c.bytes > maxCommitBytes {
		c.forget()
	}
}

// forget removes the least recently used commit of the owner that uses the most memory.
func (c *commits) forget() {
	takes := map[string]int{}
	owner := ""
	for key, k := range c.kept {
		takes[key.owner()] += k.bytes
		if takes[key.owner()] >= takes[owner] {
			owner = key.owner()
		}
	}
	var oldest *commitKey
	for key, k := range c.kept {
		if key.owner() == owner && (oldest == nil || k.used < c.kept[*oldest].used) {
			oldest = &key
		}
	}
	c.bytes -= c.kept[*oldest].bytes
	delete(c.kept, *oldest)
}

func (k commitKey) owner() string {
	owner, _, _ := strings.Cut(k.repo, "/")
	return owner
}
