package backend

import (
	"context"

	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Root returns the project's directory, where registered commands run, see project.Root.
func Root(from string, getenv func(string) string) string { return project.Root(from, getenv) }

// Asker returns the asker of an open project.
func Asker(w *project.Project) *query.Asker {
	a := &query.Asker{Store: w.Store, Blobs: w.Blobs, Scope: store.Everything(), Root: w.Root(), Git: git{},
		Ancestry: ancestry{w.Root()}}
	if !w.ReadOnly() {
		a.Stale = func(ctx context.Context) error { return record.Salvage(ctx, w) }
	}
	return a
}

// Files returns an asker that reads only the files under root and knows no runs.
func Files(root string) *query.Asker { return &query.Asker{Root: root, Git: git{}} }

// git gives query the history of files.
type git struct{}

func (git) Blame(ctx context.Context, root, commit, file string, line int) (query.Blame, error) {
	b, err := ci.Blame(ctx, root, commit, file, line)
	return query.Blame{Author: b.Author, Commit: b.Commit, Time: b.Time}, err
}

func (git) Show(ctx context.Context, root, commit, file string) ([]byte, error) {
	return ci.Show(ctx, root, commit, file)
}

func (git) ChangedFiles(ctx context.Context, root, commit string) ([]string, error) {
	return ci.ChangedFiles(ctx, root, commit)
}

func (git) RecentCommits(ctx context.Context, root, file string, n int) ([]query.Commit, error) {
	commits, err := ci.RecentCommits(ctx, root, file, n)
	list := make([]query.Commit, len(commits))
	for i, c := range commits {
		list[i] = query.Commit{Hash: c.Hash, Author: c.Author, Message: c.Message}
	}
	return list, err
}

// ancestry gives query the history of commits of the work tree at root.
type ancestry struct{ root string }

func (a ancestry) DefaultBranch(ctx context.Context, _ string) (string, error) {
	return ci.DefaultBranch(ctx, a.root), nil
}

func (a ancestry) Ancestors(ctx context.Context, _, commit, base string, n int) ([]string, error) {
	return ci.Ancestors(ctx, a.root, commit, base, n)
}
