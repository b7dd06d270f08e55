package backend

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// maxIndexes is the max number of bytes of indexes that a process keeps.
const maxIndexes = 64 << 20

// documentation gives query the documents of the project, and those that were added to it.
func (b *Backend) documentation(root string) *query.Docs {
	return &query.Docs{
		Facts: localFacts{b}, Attestations: localAttestations{b}, By: user(),
		Sources: localSources{b}, Blobs: currentBlobs{b}, Indexes: localIndexes{b},
		Fetcher: &source.Fetcher{Policy: source.Local()}, Link: forge(root), Home: homes(root), Local: true,
	}
}

// forge returns a function with the addresses of files at GitHub, or nil if the origin is elsewhere.
func forge(root string) func(string, string, string, docs.Range) string {
	repo := ci.Remote(root)
	if repo == "" {
		return nil
	}
	return func(_, commit, path string, r docs.Range) string { return query.GitHubLink("", repo, commit, path, r) }
}

// homes returns the directories that answers do not name, with what stands for them.
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
type localFacts struct{ b *Backend }

// At implements facts.Source.
func (l localFacts) At(ctx context.Context, q facts.Query) (facts.Found, error) {
	s := worktree.Source{Root: Root(l.b.dir, l.b.getenv), Store: current(l), Blobs: currentBlobs(l)}
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
	s := worktree.Source{Root: Root(l.b.dir, l.b.getenv)}
	return s.Past(ctx, sources, docs, named)
}

// localIndexes keeps indexes in the .lq folder.
type localIndexes struct{ b *Backend }

// Index implements query.Indexes.
func (l localIndexes) Index(ctx context.Context, repo string, set facts.Set) (*docs.Index, error) {
	f, err := l.b.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer l.b.release(f)
	return l.b.indexes.Index(ctx, l.dir(f), repo, set)
}

// Kept returns an index that need not be built, nil for none.
func (l localIndexes) Kept(ctx context.Context, repo string, set facts.Set) *docs.Index {
	f, err := l.b.hold(ctx)
	if err != nil {
		return nil
	}
	defer l.b.release(f)
	return l.b.indexes.Kept(ctx, l.dir(f), repo, set)
}

// dir returns the directory of the indexes, "" for none.
func (localIndexes) dir(f *folder) string {
	if f.standIn != "" {
		return ""
	}
	return indexFolder(f.Project)
}

// localSources keeps sources in the .lq folder, which is created when the first one is added.
type localSources struct{ b *Backend }

func (l localSources) Sources(ctx context.Context, sc store.Scope, repo string) ([]store.SourceVersion, error) {
	return with(ctx, l.b, func(f *folder) ([]store.SourceVersion, error) { return f.Store.Sources(ctx, sc, repo) })
}

func (l localSources) SourceVersions(ctx context.Context, sc store.Scope, repo, alias string) (
	[]store.SourceVersion, error) {
	return with(ctx, l.b,
		func(f *folder) ([]store.SourceVersion, error) { return f.Store.SourceVersions(ctx, sc, repo, alias) })
}

func (l localSources) AddSourceVersion(ctx context.Context, v store.SourceVersion, fresh bool) (
	added store.SourceVersion, err error) {
	err = l.b.change(ctx, func(f *folder) error {
		added, err = f.Store.AddSourceVersion(ctx, v, fresh)
		return err
	})
	return added, err
}

func (l localSources) RemoveSource(ctx context.Context, repo, alias string) (n int, err error) {
	err = l.b.change(ctx, func(f *folder) error {
		if n, err = f.Store.RemoveSource(ctx, repo, alias); err != nil {
			return err
		}
		return collect(ctx, f)
	})
	return n, err
}

// collect deletes the objects that nothing needs any more.
func collect(ctx context.Context, f *folder) error {
	keys, err := f.Store.Garbage(ctx, 0)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := f.Blobs.Delete(ctx, key); err != nil {
			return fmt.Errorf("delete what was removed: %w", err)
		}
	}
	return f.Store.Collected(ctx, keys)
}

// Put implements query.DocBlobs.
func (c currentBlobs) Put(ctx context.Context, key string, data []byte) error {
	return c.b.change(ctx, func(f *folder) error { return f.Blobs.Put(ctx, key, data) })
}

// Delete implements query.DocBlobs.
func (c currentBlobs) Delete(ctx context.Context, key string) error {
	return c.b.change(ctx, func(f *folder) error { return f.Blobs.Delete(ctx, key) })
}

// change calls do with a folder that can be written to.
func (b *Backend) change(ctx context.Context, do func(*folder) error) error {
	f, err := b.holdToWrite(ctx, 0)
	if err != nil {
		return err
	}
	defer b.release(f)
	return do(f)
}
