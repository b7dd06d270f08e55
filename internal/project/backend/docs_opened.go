package backend

import (
	"context"
	"sync"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/query"
)

// documentationOf provides query with the documentation of an open project. It fetches nothing.
func documentationOf(w *project.Project) *query.Docs {
	// Git's configuration is read only when it is needed, because most commands do not use documentation.
	origin := sync.OnceValue(func() func(string, string, string, docs.Range) string { return forge(w.Root()) })
	return withOpenedLibrary(w, &query.Docs{
		Facts: openedFacts{w, &worktree.Memory{}}, Attestations: w.Store, By: user(), Blobs: w.Blobs,
		Link: func(repo, commit, path string, r docs.Range) string {
			if link := origin(); link != nil {
				return link(repo, commit, path, r)
			}
			return ""
		},
		Home: homes(w.Root()), Local: true,
	})
}

// openedFacts finds facts in the work tree of a project, in git, and in its .lq folder.
type openedFacts struct {
	w      *project.Project
	memory *worktree.Memory
}

func (o openedFacts) source() *worktree.Source {
	s := &worktree.Source{Root: o.w.Root(), Store: o.w.Store, Blobs: o.w.Blobs, Memory: o.memory}
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
