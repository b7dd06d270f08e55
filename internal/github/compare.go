package github

import (
	"context"

	gh "github.com/google/go-github/v60/github"
)

// MergeBase returns the merge base of two commits or branches.
func (c *Client) MergeBase(ctx context.Context, repo, base, head string) (string, error) {
	owner, name, err := split(repo)
	if err != nil {
		return "", err
	}
	for _, ref := range []string{base, head} {
		if err := CheckRef(ref); err != nil {
			return "", err
		}
	}
	// Only the first page lists files, which are most of the answer, so this asks for the second.
	found, _, err := c.gh.Repositories.CompareCommits(ctx, owner, name, base, head, &gh.ListOptions{PerPage: 1, Page: 2})
	return found.GetMergeBaseCommit().GetSHA(), may(err, repo, "compare commits", "contents: read")
}
