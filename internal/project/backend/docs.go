package backend

import (
	"context"
	"os"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/query"
)

// maxIndexes is the max number of bytes of indexes that a process keeps in memory.
const maxIndexes = 64 << 20

// documentation returns the data for questions about the project's documents and about external documentation.
func (b *Backend) documentation(root string) *query.Docs {
	return b.withLibrary(&query.Docs{
		Facts: localFacts{b, &worktree.Memory{}}, Attestations: localAttestations{b}, By: user(),
		Blobs: currentBlobs{b}, Link: forge(root), Home: homes(root), Local: true,
	})
}

// forge returns a function that returns the GitHub address of a file. forge returns nil if the URL of the origin does
// not name a repository of a forge.
func forge(root string) func(string, string, string, docs.Range) string {
	repo := ci.Remote(root)
	if repo == "" {
		return nil
	}
	return func(_, commit, path string, r docs.Range) string { return query.GitHubLink("", repo, commit, path, r) }
}

// homes returns directories that answers must not contain, each with its replacement.
func homes(root string) [][2]string {
	list := [][2]string{{root, "<project>"}}
	if home, err := os.UserHomeDir(); err == nil {
		list = append(list, [2]string{home, "~"})
	}
	if len(list) == 2 && strings.HasPrefix(list[1][0], root) {
		list[0], list[1] = list[1], list[0]
	}
	return list
}

// localFacts finds facts in the work tree, in git, and in the .lq folder.
type localFacts struct {
	b      *Backend
	memory *worktree.Memory // of one question
}

// At implements facts.Source.
func (l localFacts) At(ctx context.Context, q facts.Query) (facts.Found, error) {
	s := worktree.Source{
		Root: Root(l.b.dir, l.b.getenv), Store: current{l.b}, Blobs: currentBlobs{l.b}, Memory: l.memory,
	}
	f, err := l.b.hold(ctx)
	if err != nil {
		return facts.Found{}, err
	}
	defer l.b.release(f)
	if f.standIn == "" && !f.ReadOnly() {
		s.Cache = f.FactsCache()
	}
	return s.At(ctx, q)
}

// Past implements facts.Historian.
func (l localFacts) Past(ctx context.Context, sources, docs facts.Found, named []string) (facts.Past, error) {
	s := worktree.Source{Root: Root(l.b.dir, l.b.getenv), Memory: l.memory}
	return s.Past(ctx, sources, docs, named)
}

// Put implements query.DocBlobs.
func (c currentBlobs) Put(ctx context.Context, key string, data []byte) error {
	return c.b.change(ctx, func(f *folder) error { return f.Blobs.Put(ctx, key, data) })
}

// Delete implements query.DocBlobs.
func (c currentBlobs) Delete(ctx context.Context, key string) error {
	return c.b.change(ctx, func(f *folder) error { return f.Blobs.Delete(ctx, key) })
}

// change calls the function with a writable folder.
func (b *Backend) change(ctx context.Context, do func(*folder) error) error {
	f, err := b.holdToWrite(ctx, 0)
	if err != nil {
		return err
	}
	defer b.release(f)
	return do(f)
}
