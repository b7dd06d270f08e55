package backend

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/internal/docindex"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/query"
)

// documentationOf gives query the documentation of an open project. It fetches nothing.
func documentationOf(w *project.Project) *query.Docs {
	// Most commands ask nothing of documentation, so git's configuration is read when it is needed.
	origin := sync.OnceValue(func() func(string, string, string, docs.Range) string { return forge(w.Root()) })
	return &query.Docs{
		Facts: openedFacts{w}, Attestations: w.Store, By: user(),
		Sources: w.Store, Blobs: w.Blobs, Indexes: openedIndexes{w, docindex.New(maxIndexes, nil)},
		Link: func(repo, commit, path string, r docs.Range) string {
			if link := origin(); link != nil {
				return link(repo, commit, path, r)
			}
			return ""
		},
		Home: homes(w.Root()), Local: true,
	}
}

// openedFacts finds facts in the work tree of a project, in git, and in its .lq folder.
type openedFacts struct{ w *project.Project }

func (o openedFacts) source() *worktree.Source {
	s := &worktree.Source{Root: o.w.Root(), Store: o.w.Store, Blobs: o.w.Blobs}
	if !o.w.ReadOnly() {
		s.Cache = o.w.FactsCache()
	}
	return s
}

// At implements facts.Source.
func (o openedFacts) At(ctx context.Context, q facts.Query) (facts.Found, error) {
	return o.source().At(ctx, q)
}

// Past implements facts.Historian.
func (o openedFacts) Past(ctx context.Context, sources, docs facts.Found, named []string) (facts.Past, error) {
	return o.source().Past(ctx, sources, docs, named)
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

// Kept returns an index that need not be built, nil for none.
func (o openedIndexes) Kept(ctx context.Context, repo string, set facts.Set) *docs.Index {
	return o.cache.Kept(ctx, indexFolder(o.w), repo, set)
}

// indexFolder returns the directory with the indexes of a project, "" if none can be kept.
func indexFolder(w *project.Project) string {
	if w.ReadOnly() {
		return ""
	}
	return filepath.Join(w.Dir, "docs")
}
