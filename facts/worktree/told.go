package worktree

import (
	"context"

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
	told := store.Snapshot{Repo: r.Repo, Commit: head}
	if r.CI != nil {
		told.PR, told.Fork = r.CI.PR, r.CI.Fork
	}
	if r.Git.Commit != "" && r.Git.Commit != head {
		commit, err := s.first(ctx, []string{r.Git.Commit})
		if err != nil {
			return told, err
		}
		if commit != "" {
			told.Commit = commit
		}
	}
	if told.Commit == r.Git.Commit {
		told.Branch = r.Git.Branch
	}
	told.Tag = s.tag(ctx, told.Commit)
	return told, nil
}

// ToldAt returns the snapshot of the commit that a name stands for. If the name is a branch, the snapshot has the
// branch.
func (s *Source) ToldAt(ctx context.Context, repo, at string) (store.Snapshot, error) {
	commit, err := s.Commit(ctx, at)
	if err != nil {
		return store.Snapshot{}, err
	}
	told := store.Snapshot{Repo: repo, Commit: commit, Tag: s.tag(ctx, commit)}
	if branch, err := s.first(ctx, []string{"refs/heads/" + at}); err == nil && branch == commit {
		told.Branch = at
	}
	return told, nil
}
