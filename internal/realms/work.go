package realms

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Work implements query.RealmWork for the realms of a store.
type Work struct {
	Stored
	Kept store.Sessions
	// Forge finds the pull requests of repositories; nil for none.
	Forge *Forge
	Host  string // host of repositories without an address
}

var _ query.RealmWork = Work{}

// Session implements query.RealmWork.
func (w Work) Session(ctx context.Context, at query.RealmAt) (store.Session, error) {
	if !w.Scope.Has(at.Repo) {
		return store.Session{}, store.NoSession()
	}
	return w.Kept.Session(ctx, at.Repo, w.Reader)
}

// OpenSession implements query.RealmWork.
func (w Work) OpenSession(ctx context.Context, at query.RealmAt, s store.Session) (store.Session, bool, error) {
	s.Repo, s.Reader = at.Repo, w.Reader
	return w.Kept.OpenSession(ctx, s)
}

// TouchSession implements query.RealmWork.
func (w Work) TouchSession(ctx context.Context, _ query.RealmAt, s store.Session, now time.Time) error {
	return w.Kept.TouchSession(ctx, s, now)
}

// EndSession implements query.RealmWork.
func (w Work) EndSession(ctx context.Context, _ query.RealmAt, s store.Session) error {
	return w.Kept.EndSession(ctx, s)
}

// ByID implements query.RealmWork. It returns true because agents may share a token.
func (w Work) ByID() bool { return true }

// HasRuns implements query.RealmWork.
func (w Work) HasRuns(query.RealmAt) bool { return true }

// Head implements query.RealmWork.
func (w Work) Head(ctx context.Context, at query.RealmAt, name string) (string, error) {
	seen := w.Facts
	seen.Scope = w.Scope
	found, err := seen.At(ctx, facts.Query{Repo: at.Repo, At: name, Kind: store.FactContracts})
	if store.CodeOf(err) == store.NotFound {
		return "", nil
	}
	return found.Commit, err
}

// Commits implements query.RealmWork.
func (w Work) Commits(ctx context.Context, at query.RealmAt, from, to string) (int, error) {
	return w.between(ctx, at.Repo, from, to)
}

// between returns the number of commits that head is ahead of base. It compares the first-parent histories of the two
// commits, and counts the commits after the last common commit. It returns 0 if there is no common commit.
func (w Work) between(ctx context.Context, repo, base, head string) (int, error) {
	known, err := w.Facts.Store.FirstParents(ctx, store.Repos(repo), repo, base)
	if err != nil {
		return 0, err
	}
	line, err := w.Facts.Store.FirstParents(ctx, store.Repos(repo), repo, head)
	if err != nil {
		return 0, err
	}
	n := slices.IndexFunc(line, func(c string) bool { return slices.Contains(known, c) })
	return max(n, 0), nil
}

// Worktree implements query.RealmWork. A server has no work trees, so it returns the commands that create a work
// tree.
func (w Work) Worktree(ctx context.Context, found query.RealmFound, member, rfc string) (query.Worktree, error) {
	repo := found.Hosted[member]
	if !realm.IsName(found.Name) || !w.Scope.Has(repo) {
		return query.Worktree{}, store.Errorf(store.Invalid, "%.100q of the realm %.100q cannot be a directory", rfc,
			query.Clean(found.Name))
	}
	branch, commit, err := w.branchFor(ctx, repo, found.Branches[member], rfc)
	if err != nil {
		return query.Worktree{}, err
	}
	one := query.Worktree{Path: strings.Join([]string{"~/.blue/worktrees", found.Name, rfc, member}, "/"),
		URL: w.address(found, member)}
	add := fmt.Sprintf("git worktree add %s %s", one.Path, branch) // the names have neither spaces nor quotes
	if commit == "" {
		names := BranchesFor(found.Branches[member], rfc)
		base, err := w.base(ctx, repo)
		if err != nil {
			return one, err
		}
		add = fmt.Sprintf("git worktree add --no-track -b %s %s origin/%s", names[len(names)-1], one.Path, base)
	}
	one.Commands = []string{"git fetch origin", add}
	return one, nil
}

// address returns the address of a member's repository.
func (w Work) address(found query.RealmFound, member string) string {
	for _, r := range found.Repos {
		if r.Name == member && repository(r.URL) != "" {
			return query.Clean(r.URL)
		}
	}
	return "https://" + w.Host + "/" + found.Hosted[member]
}

// base returns the default branch of a repository, or HEAD if the branch is unknown.
func (w Work) base(ctx context.Context, repo string) (string, error) {
	if w.Facts.DefaultBranch != nil {
		if name, err := w.Facts.DefaultBranch(ctx, repo); err != nil || realm.IsRFC(name) {
			return name, err
		}
	}
	for _, name := range store.DefaultBranches {
		_, err := w.Facts.Store.NamedCommit(ctx, store.Repos(repo), store.CommitName{Repo: repo, Branch: name})
		if store.CodeOf(err) != store.NotFound {
			return name, err
		}
	}
	return "HEAD", nil
}

// Standing implements query.RealmWork. A server does not know unpushed commits. Without an RFC, Standing uses the
// branch of the newest run of a pull request that is not from a fork, or else the default branch.
func (w Work) Standing(ctx context.Context, found query.RealmFound, member, rfc string) (query.Standing, error) {
	repo := found.Hosted[member]
	at := query.Standing{Path: w.address(found, member), Repo: repo, HasRuns: true, Pushed: true}
	if !w.Scope.Has(repo) {
		return at, store.Errorf(store.NotFound, "there is no repository %.100s", repo)
	}
	base, err := w.base(ctx, repo)
	if err != nil {
		return at, err
	}
	tip, err := w.Facts.Store.NamedCommit(ctx, store.Repos(repo), store.CommitName{Repo: repo, Branch: base})
	if store.CodeOf(err) == store.NotFound {
		return at, store.Errorf(store.Unavailable, "nothing is known of it here: it has to send facts: blq facts push")
	}
	if err != nil {
		return at, err
	}
	if at.Branch, at.Commit, err = w.workedOn(ctx, repo, found.Branches[member], rfc); err != nil {
		return at, err
	}
	switch {
	case at.Branch == "" && rfc != "":
		return at, store.Errorf(store.NotFound, "%s has no branch for %s", member, rfc)
	case at.Branch == "":
		at.Branch, at.Commit = base, tip
	}
	if at.Base = at.Branch == base; at.Base {
		return at, nil
	}
	if at.Ahead, err = w.between(ctx, repo, tip, at.Commit); err != nil {
		return at, err
	}
	if w.Forge == nil {
		at.Unknown = "pull requests are not known here: blqd needs BLQ_GITHUB_TOKEN"
		return at, nil
	}
	if at.Pull, err = w.Forge.Pull(ctx, repo, at.Branch); err != nil {
		at.Unknown = "pull requests are not known: " + err.Error()
	}
	return at, nil
}

// recentRuns is the max number of runs that are searched for a run of a pull request.
const recentRuns = 100

// workedOn returns the branch for an RFC and its newest commit. Without an RFC, it returns the branch and commit of
// the newest run of a pull request that is not from a fork. Both results are "" if there is no such branch or run.
func (w Work) workedOn(ctx context.Context, repo, template, rfc string) (branch, commit string, err error) {
	if rfc != "" {
		return w.branchFor(ctx, repo, template, rfc)
	}
	runs, err := w.Facts.Store.Runs(ctx, w.Scope, store.RunFilter{Repo: repo, Limit: recentRuns})
	for _, r := range runs {
		if r.CI != nil && r.CI.PR > 0 && !r.CI.Fork && r.Git.Branch != "" {
			return r.Git.Branch, r.Git.Commit, nil
		}
	}
	return "", "", err
}
