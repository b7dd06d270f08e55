package backend

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/blq-ci/blq/internal/architecture"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Root returns the project's directory, in which registered commands run; see project.Root.
func Root(from string, getenv func(string) string) string { return project.Root(from, getenv) }

// Asker returns the asker of an open project.
func Asker(w *project.Project) *query.Asker {
	secrets := ofEnvironment(func() bool { return w.Config.Redact.Off })
	return &query.Asker{Store: w.Store, Blobs: w.Blobs, Scope: store.Everything(), Root: w.Root(),
		Git: git{secrets, &ci.Lookups{}}, Ancestry: ancestry{w.Root(), secrets},
		Hide: secrets.hide, HideText: secrets.hideText(),
		Defined: func() map[string][]string { return project.Defined(w.Dir) },
		Docs:    documentationOf(w),
		Graphs:  openedGraphs{w, architecture.New(maxGraphs, nil)}, Parts: &query.Parts{},
		Stale: func(ctx context.Context) error { return record.Salvage(ctx, w) }}
}

// defined returns the shapes of the project's registered commands.
func (b *Backend) defined() map[string][]string {
	return project.Defined(project.Place(b.dir, b.getenv))
}

// Files returns an asker that reads only files under root and knows no runs.
func Files(root string) *query.Asker {
	secrets := ofEnvironment(func() bool { return false })
	return &query.Asker{Root: root, Git: git{secrets, &ci.Lookups{}}, Hide: secrets.hide}
}

// secrets returns the redactor for git's output and for files. The redactor is made at the first use.
type secrets func() *redact.Redactor

// ofEnvironment returns a function that makes a redactor for the secrets in this process's environment. If redaction
// is disabled, the redactor removes nothing.
func ofEnvironment(disabled func() bool) secrets {
	return sync.OnceValue(func() *redact.Redactor {
		if disabled() {
			return nil
		}
		return record.Redactor()
	})
}

// HideInJob returns a function that removes the secrets of the present job from the service's answers. The service may
// have received a secret before a later step of the job masked the secret. Outside of a job, and in a job without
// secrets, HideInJob returns nil.
func HideInJob() func(text string) string {
	if r := record.JobRedactor(); r != nil {
		return r.Label
	}
	return nil
}

func (s secrets) hide(text string) string { return s().String(text) }

// hideText returns a function that removes secrets from documents. It keeps values that are only examples in a
// document.
func (s secrets) hideText() func(text string) string {
	r := sync.OnceValue(func() *redact.Redactor { return s().ForDocuments() })
	return func(text string) string { return r().String(text) }
}

// git provides query with the history of files. It removes the secrets of the environment from the output of git.
type git struct {
	secrets secrets
	lookups *ci.Lookups
}

func (g git) Blame(ctx context.Context, root, commit, file string, line int) (query.Blame, error) {
	b, err := ci.Blame(ctx, root, commit, file, line)
	return query.Blame{Author: g.secrets.hide(b.Author), Commit: b.Commit, Time: b.Time}, err
}

func (g git) Show(ctx context.Context, root, commit, file string) ([]byte, error) {
	return ci.Show(ctx, root, commit, file)
}

func (g git) Branch(root string) string { return g.secrets.hide(ci.Branch(root)) }

// Branches returns names without secrets, as in stored runs.
func (g git) Branches(ctx context.Context, root string) (map[string]bool, error) {
	all, err := ci.Branches(ctx, root)
	names := map[string]bool{}
	for name := range all {
		names[g.secrets.hide(name)] = true
	}
	return names, err
}

func (g git) OnBranches(ctx context.Context, root string, commits []string) (map[string]bool, error) {
	return g.lookups.OnBranches(ctx, root, commits)
}

func (g git) Inside(ctx context.Context, root, of string, commits []string) (map[string]bool, error) {
	return g.lookups.Inside(ctx, root, of, commits)
}

func (g git) SameFiles(ctx context.Context, root, of string, commits []string) (map[string]bool, error) {
	return g.lookups.SameFiles(ctx, root, of, commits)
}

func (g git) ChangedFiles(ctx context.Context, root, commit string) ([]string, error) {
	return ci.ChangedFiles(ctx, root, commit)
}

func (g git) RecentCommits(ctx context.Context, root, file string, n int) ([]query.Commit, error) {
	commits, err := ci.RecentCommits(ctx, root, file, n)
	list := make([]query.Commit, len(commits))
	for i, c := range commits {
		list[i] = query.Commit{Hash: c.Hash, Author: g.secrets.hide(c.Author), Message: g.secrets.hide(c.Message)}
	}
	return list, err
}

// ancestry provides query with the history of commits in the work tree at root. Secrets are removed from branch names,
// as in stored runs.
type ancestry struct {
	root    string
	secrets secrets
}

func (a ancestry) DefaultBranch(ctx context.Context, _ string) (string, error) {
	return a.secrets.hide(ci.DefaultBranch(ctx, a.root)), nil
}

func (a ancestry) Ancestors(ctx context.Context, _, commit, base string, n int) ([]string, error) {
	if !strings.Contains(base, redact.Mask) {
		return ci.Ancestors(ctx, a.root, commit, base, n)
	}
	// A secret may have been removed from the name base. If base is the default branch, git needs the branch's real
	// name. Most calls have a base without a mask, and do not need this look-up.
	name := ci.DefaultBranch(ctx, a.root)
	if name == base || a.secrets.hide(name) != base {
		return ci.Ancestors(ctx, a.root, commit, base, n)
	}
	commits, err := ci.Ancestors(ctx, a.root, commit, name, n)
	if err != nil {
		if errors.Is(err, store.ErrShallow) {
			return nil, store.Errorf(store.NotFound, "%s and %s share no commit here, %w", commit, base, store.ErrShallow)
		}
		err = store.Errorf(store.CodeOf(err), "%s and %s share no commit here", commit, base)
	}
	return commits, err
}
