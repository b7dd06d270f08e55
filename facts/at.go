package facts

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/store"
)

// PullRequest returns the number in the name of a pull request, such as PR#12. For other names it returns 0.
func PullRequest(at string) int {
	prefix, number, found := strings.Cut(at, "#")
	n, err := strconv.Atoi(number)
	if !found || prefix != "" && !strings.EqualFold(prefix, "PR") || err != nil || n < 1 || number[0] == '+' {
		return 0
	}
	return n
}

// IsRun reports whether a name can only be the reference of a run. Names of branches and tags cannot contain : or ~,
// because git does not allow these characters.
func IsRun(at string) bool { return strings.ContainsAny(at, ":~") }

// IsHash reports whether a name may be a commit hash or the beginning of a hash.
func IsHash(at string) bool {
	return len(at) >= 4 && len(at) <= 64 && strings.Trim(strings.ToLower(at), "0123456789abcdef") == ""
}

// NoSuch returns the NotFound error for a name that is neither a branch, a tag, a commit, a pull request nor a run.
func NoSuch(at string) error {
	return store.Hint(store.Errorf(store.NotFound, "nothing here has the name %.200q", at),
		"name a branch, a tag, a commit, PR#12 or a run such as build:5")
}

// RunAt returns the run that a reference such as build:5 names. The error is Invalid if the
// parameter at is not a reference.
func RunAt(ctx context.Context, runs store.RunReader, sc store.Scope, repo, at string) (store.Run, error) {
	ref, err := store.ParseRef(at)
	if err != nil {
		return store.Run{}, store.Hint(store.Errorf(store.Invalid, "%.200q is not a name of a commit", at),
			"name a branch, a tag, a commit, PR#12 or a run such as build:5")
	}
	if ref.Repo == "" {
		ref.Repo = repo
	}
	return runs.Run(ctx, sc, ref.Run())
}

// point returns the search key of the snapshot that a query asks for: its repository, kind and commit, and whether
// snapshots of forks count.
func (s Stored) point(ctx context.Context, q Query) (store.SnapshotAt, error) {
	at := store.SnapshotAt{Repo: q.Repo, Kind: q.Kind}
	if names := s.Scope.Names(); at.Repo == "" && !s.Scope.All() && !strings.Contains(q.At, "@") {
		if len(names) != 1 {
			return at, store.Next(store.Errorf(store.Invalid, "which repository is meant is not said"),
				store.NewCall("status", "lists the repositories", "repo", "owner/name"))
		}
		at.Repo = names[0]
	}
	name := strings.TrimSpace(q.At)
	var err error
	switch n := PullRequest(name); {
	case name == "":
		at.Commit, err = s.defaultHead(ctx, at.Repo)
	case n > 0:
		at.Forks = true
		at.Commit, err = s.pullHead(ctx, at.Repo, n)
	case IsRun(name):
		return s.ofRun(ctx, at, name)
	default:
		return s.named(ctx, at, name)
	}
	return at, err
}

// named finds the commit that a branch, a tag, the beginning of a hash or a run names.
func (s Stored) named(ctx context.Context, at store.SnapshotAt, name string) (store.SnapshotAt, error) {
	names := []store.CommitName{{Repo: at.Repo, Branch: name}, {Repo: at.Repo, Tag: name}}
	if IsHash(name) {
		names = append(names, store.CommitName{Repo: at.Repo, Prefix: name})
	}
	for _, n := range names {
		commit, err := s.Store.NamedCommit(ctx, s.Scope, n)
		if store.CodeOf(err) == store.NotFound {
			continue
		}
		at.Commit, at.Forks = commit, n.Prefix != ""
		return at, err
	}
	found, err := s.ofRun(ctx, at, name)
	switch store.CodeOf(err) {
	case store.NotFound, store.Invalid:
		return at, NoSuch(name)
	}
	return found, err
}

// ofRun finds the commit of a run. The job of a pull request may have run at a merge commit. If there are no facts
// near that commit, ofRun returns the newest commit of the pull request instead.
func (s Stored) ofRun(ctx context.Context, at store.SnapshotAt, name string) (store.SnapshotAt, error) {
	r, err := RunAt(ctx, s.Store, s.Scope, at.Repo, name)
	if err != nil {
		return at, err
	}
	at.Repo, at.Commit, at.Forks = r.Repo, r.Git.Commit, true
	if at.Commit == "" {
		return at, store.Errorf(store.NotFound, "run %s does not say at which commit it was", r.Ref())
	}
	_, _, err = s.Store.NearestSnapshot(ctx, s.Scope, at)
	if store.CodeOf(err) == store.NotFound && r.CI != nil && r.CI.PR > 0 {
		n := store.CommitName{Repo: at.Repo, PR: r.CI.PR}
		if commit, err := s.Store.NamedCommit(ctx, s.Scope, n); err == nil {
			at.Commit = commit
		}
	}
	return at, nil
}

// pullHead returns the commit of a pull request.
func (s Stored) pullHead(ctx context.Context, repo string, n int) (string, error) {
	commit, err := s.Store.NamedCommit(ctx, s.Scope, store.CommitName{Repo: repo, PR: n})
	if store.CodeOf(err) != store.NotFound {
		return commit, err
	}
	runs, other := s.Store.Runs(ctx, s.Scope, store.RunFilter{Repo: repo, PR: n, Limit: 1})
	if other != nil {
		return "", other
	}
	if len(runs) > 0 && runs[0].Git.Commit != "" {
		return runs[0].Git.Commit, nil
	}
	return "", err
}

// defaultHead returns the commit of the default branch.
func (s Stored) defaultHead(ctx context.Context, repo string) (string, error) {
	names := store.DefaultBranches
	if s.DefaultBranch != nil {
		name, err := s.DefaultBranch(ctx, repo)
		if err != nil {
			return "", err
		}
		if name != "" {
			names = []string{name}
		}
	}
	for _, name := range names {
		commit, err := s.Store.NamedCommit(ctx, s.Scope, store.CommitName{Repo: repo, Branch: name})
		if store.CodeOf(err) != store.NotFound {
			return commit, err
		}
	}
	return "", store.NoCommit(store.CommitName{Branch: names[0]})
}

// Base returns the base of a commit: the nearest commit on the default branch, following first parents. The error is
// NotFound if no such commit is known.
func (s Stored) Base(ctx context.Context, repo, commit string) (string, error) {
	head, err := s.defaultHead(ctx, repo)
	if err != nil {
		return "", err
	}
	branch, err := s.Store.FirstParents(ctx, s.Scope, repo, head)
	if err != nil {
		return "", err
	}
	line, err := s.Store.FirstParents(ctx, s.Scope, repo, commit)
	if err != nil {
		return "", err
	}
	for _, c := range line {
		if slices.Contains(branch, c) {
			return c, nil
		}
	}
	return "", store.Errorf(store.NotFound, "it is not known where commit %.12s left the default branch", commit)
}
