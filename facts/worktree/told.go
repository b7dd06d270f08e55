package worktree

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Told returns the snapshot for the commit of a run, without kind and manifest. The run gives the commit, its branch,
// and facts of CI. In a job of a pull request, the clone may lack the newest commit of the pull request. The snapshot
// then has the checked-out merge commit, and no branch.
func (s *Source) Told(ctx context.Context, r store.Run) (store.Snapshot, error) {
	head, err := s.head(ctx)
	if err != nil {
		return store.Snapshot{}, err
	}
	snapshot := store.Snapshot{Repo: r.Repo, Commit: head}
	if r.CI != nil {
		snapshot.PR, snapshot.Fork = r.CI.PR, r.CI.Fork
	}
	if r.Git.Commit != "" && r.Git.Commit != head {
		commit, err := s.first(ctx, []string{r.Git.Commit})
		if err != nil {
			return snapshot, err
		}
		if commit != "" {
			snapshot.Commit = commit
		}
	}
	if snapshot.Commit == r.Git.Commit {
		snapshot.Branch = r.Git.Branch
	}
	snapshot.Tag = s.tag(ctx, snapshot.Commit)
	return snapshot, nil
}

// ToldAt returns the snapshot of the commit that a name stands for. The snapshot has a branch in two cases: the name
// is a branch of this clone or of origin, or the name is HEAD and a branch is checked out.
func (s *Source) ToldAt(ctx context.Context, repo, at string) (store.Snapshot, error) {
	at = strings.TrimSpace(at)
	commit, err := s.commit(ctx, at)
	if err != nil {
		return store.Snapshot{}, err
	}
	snapshot := store.Snapshot{Repo: repo, Commit: commit, Tag: s.tag(ctx, commit)}
	if at == "HEAD" {
		snapshot.Branch, err = s.checkedOut(ctx)
		return snapshot, err
	}
	branch, err := s.first(ctx, []string{"refs/heads/" + at, "refs/remotes/origin/" + at})
	if err == nil && branch == commit {
		snapshot.Branch = at
	}
	return snapshot, nil
}

// checkedOut returns the branch that is checked out, or "" if there is none.
func (s *Source) checkedOut(ctx context.Context) (string, error) {
	top, err := s.top()
	if err != nil {
		return "", err
	}
	out, err := run(ctx, top, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil && isExit(err) {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}
