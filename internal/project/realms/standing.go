package realms

import (
	"cmp"
	"context"
	"strings"

	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Forge finds the pull requests of repositories.
type Forge interface {
	// Host returns the host of the repositories.
	Host() string
	// Pull returns the pull request of a branch, or nil if there is none.
	Pull(ctx context.Context, repo, branch string) (*query.PullRequest, error)
}

// Standing implements query.RealmWork.
func (w Work) Standing(ctx context.Context, found query.RealmFound, member, rfc string) (query.Standing, error) {
	clone := found.Clones[member]
	if clone == "" {
		return query.Standing{}, noClone(found, member)
	}
	at := query.Standing{Path: clone, HasRuns: member == found.Current}
	var err error
	if rfc == "" {
		if _, err := git(ctx, clone, "rev-parse", "--git-dir"); err != nil {
			return at, err
		}
		if branch, err := git(ctx, clone, "symbolic-ref", "--quiet", "--short", "HEAD"); err == nil {
			at.Branch = branch
		}
	} else if at, err = w.branchOf(ctx, found, member, rfc, at); err != nil {
		return at, err
	}
	none := 0
	if at.Changes = &none; at.Path != "" {
		out, err := git(ctx, at.Path, "status", "--porcelain=v1", "--untracked-files=normal", "--ignore-submodules=none")
		if err != nil {
			return at, err
		}
		if out != "" {
			none = strings.Count(out, "\n") + 1
		}
	} else {
		at.Path = clone
	}
	if err := ahead(ctx, clone, &at); err != nil || at.Branch == "" {
		return at, err
	}
	at.Pull, at.Unknown = w.pull(ctx, clone, at)
	return at, nil
}

// branchOf finds the branch of a member for an RFC, and the work tree with that branch. The error is NotFound if
// there is no such branch.
func (w Work) branchOf(ctx context.Context, found query.RealmFound, member, rfc string, at query.Standing) (
	query.Standing, error) {
	branch, here, there := branchFor(ctx, at.Path, found.Branches[member], rfc)
	if branch == "" {
		return at, store.Errorf(store.NotFound, "%s has no branch for %s", member, rfc)
	}
	by, err := checkouts(ctx, at.Path)
	if err != nil {
		return at, err
	}
	at.Branch, at.Path = branch, by[branch]
	if here == "" {
		at.Commit = there
	}
	return at, nil
}

// ahead counts the commits of a branch that are not at the origin. If the branch was never pushed, it counts the
// commits since the branch left the default branch.
func ahead(ctx context.Context, dir string, at *query.Standing) (err error) {
	if at.Branch == "" {
		return nil
	}
	base := ci.DefaultBranch(ctx, dir)
	at.Base = at.Branch == base
	there := commitAt(ctx, dir, origin+at.Branch)
	if at.Commit == "" {
		at.Commit = commitAt(ctx, dir, heads+at.Branch)
	}
	switch {
	case at.Commit == "": // there is no commit yet
		return nil
	case there != "":
		at.Ahead, err = countIn(ctx, dir, there, at.Commit)
		at.Pushed = err == nil && at.Ahead == 0
		return err
	}
	from := commitAt(ctx, dir, origin+base)
	if from == "" {
		from = commitAt(ctx, dir, heads+base)
	}
	if base == "" || from == "" {
		return nil
	}
	at.Ahead, err = countIn(ctx, dir, from, at.Commit)
	return err
}

// pull returns the pull request of a branch. If it is unknown whether there is one, pull returns a note that says so.
func (w Work) pull(ctx context.Context, dir string, at query.Standing) (*query.PullRequest, string) {
	host, repo := originOf(ctx, dir)
	switch {
	case at.Base:
		return nil, ""
	case repo == "":
		return nil, "it has no origin at a forge, so pull requests are not known"
	case w.Forge == nil:
		return nil, "pull requests of " + host + " are not known: set GITHUB_TOKEN"
	case !strings.EqualFold(host, w.Forge.Host()):
		return nil, "pull requests of " + host + " are not known: GITHUB_API_URL is that of " + w.Forge.Host()
	}
	p, err := w.Forge.Pull(ctx, repo, at.Branch)
	if err != nil {
		return nil, "pull requests are not known: " + err.Error()
	}
	return p, ""
}

// proposed returns the commit of a repository's branch for an RFC: the commit in the clone, or else the commit at the
// origin. It returns "" if there is no such branch.
func proposed(ctx context.Context, dir, template, rfc string) string {
	if rfc == "" {
		return ""
	}
	_, here, there := branchFor(ctx, dir, template, rfc)
	return cmp.Or(here, there)
}
