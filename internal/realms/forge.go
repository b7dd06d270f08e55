package realms

import (
	"context"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/query"
)

// Forge finds the pull requests of GitHub repositories.
type Forge struct{ Client *github.Client }

// Host returns the host of the repositories.
func (f Forge) Host() string { return f.Client.Host() }

// Pull returns the pull request of a branch, or nil if there is none.
func (f Forge) Pull(ctx context.Context, repo, branch string) (*query.PullRequest, error) {
	p, found, err := f.Client.PullOfBranch(ctx, repo, branch)
	if err != nil || !found {
		return nil, err
	}
	one := &query.PullRequest{Number: p.Number, State: query.PullClosed, URL: p.URL, Title: p.Title, Draft: p.Draft,
		Mergeable: p.Mergeable, Head: p.HeadSHA}
	switch {
	case p.Merged:
		one.State = query.PullMerged
	case p.State == "open":
		one.State = query.PullOpen
	}
	return one, nil
}
