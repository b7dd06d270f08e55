//go:build !job

package backend

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/internal/docindex"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// withLibrary adds to d the indexes for searches, the sources of added documentation, and the fetcher of sources.
func (b *Backend) withLibrary(d *query.Docs) *query.Docs {
	d.Sources, d.Indexes = localSources{b}, localIndexes{b}
	d.Fetcher = &source.Fetcher{Policy: source.Local()}
	return d
}

// withOpenedLibrary adds to d the sources and indexes of an open project. It adds no fetcher.
func withOpenedLibrary(w *project.Project, d *query.Docs) *query.Docs {
	d.Sources, d.Indexes = w.Store, openedIndexes{w, docindex.New(maxIndexes, nil)}
	return d
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

// Kept returns an existing index. It returns nil if there is none.
func (l localIndexes) Kept(ctx context.Context, repo string, set facts.Set) *docs.Index {
	f, err := l.b.hold(ctx)
	if err != nil {
		return nil
	}
	defer l.b.release(f)
	return l.b.indexes.Kept(ctx, l.dir(f), repo, set)
}

// dir returns the directory of the indexes. It returns "" if there is none.
func (localIndexes) dir(f *folder) string {
	if f.standIn != "" {
		return ""
	}
	return indexFolder(f.Project)
}

// localSources stores sources in the .lq folder. The first source creates the folder.
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

// openedIndexes keeps indexes in the .lq folder of a project.
type openedIndexes struct {
	w     *project.Project
	cache *docindex.Cache
}

// Index implements query.Indexes.
func (o openedIndexes) Index(ctx context.Context, repo string, set facts.Set) (*docs.Index, error) {
	return o.cache.Index(ctx, indexFolder(o.w), repo, set)
}

// Kept returns an existing index. It returns nil if there is none.
func (o openedIndexes) Kept(ctx context.Context, repo string, set facts.Set) *docs.Index {
	return o.cache.Kept(ctx, indexFolder(o.w), repo, set)
}

// collect deletes unused objects.
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

// indexFolder returns the directory for a project's indexes, or "" if there is no place for indexes.
func indexFolder(w *project.Project) string {
	if w.ReadOnly() {
		return ""
	}
	return filepath.Join(w.Dir, "docs")
}
