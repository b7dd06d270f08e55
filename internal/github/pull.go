package github

import (
	"context"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/blq-ci/blq/store"
)

// Pull is a pull request.
type Pull struct {
	Number   int
	State    string // open or closed
	Title    string
	Author   string // login name
	HeadSHA  string
	HeadRef  string
	HeadRepo string // owner/name, "" when the repository was deleted
	BaseSHA  string
	BaseRef  string
	Fork     bool   // the head is in another repository
	URL      string // of the page for people
}

func pull(p *gh.PullRequest) Pull {
	head, base := p.GetHead(), p.GetBase()
	return Pull{
		Number: p.GetNumber(), State: p.GetState(), Title: p.GetTitle(), Author: p.GetUser().GetLogin(), URL: p.GetHTMLURL(),
		HeadSHA: head.GetSHA(), HeadRef: head.GetRef(), HeadRepo: head.GetRepo().GetFullName(),
		BaseSHA: base.GetSHA(), BaseRef: base.GetRef(), Fork: head.GetRepo().GetID() != base.GetRepo().GetID(),
	}
}

// Head is the branch that a pull request asks to merge.
type Head struct {
	Owner  string // owner of the branch's repository, which may be a fork
	Branch string
	SHA    string // the newest commit
}

const readsPulls = "pull-requests: read"

// Pull returns a pull request.
func (c *Client) Pull(ctx context.Context, repo string, number int) (Pull, error) {
	owner, name, err := split(repo)
	if err != nil {
		return Pull{}, err
	}
	p, _, err := c.gh.PullRequests.Get(ctx, owner, name, number)
	return pull(p), may(err, repo, "read pull requests", readsPulls)
}

// PullOf returns the open pull request whose head is this commit of this branch. It finds pull
// requests of forks, which the workflow_run event does not name. Errors: not_found when there is
// none or its head has moved on.
func (c *Client) PullOf(ctx context.Context, repo string, head Head) (Pull, error) {
	owner, name, err := split(repo)
	if err != nil {
		return Pull{}, err
	}
	if _, _, err := split(head.Owner + "/x"); err != nil || CheckRef(head.Branch) != nil {
		return Pull{},
			store.Errorf(store.Invalid, "%q cannot be the branch of a pull request", clip(head.Owner+":"+head.Branch))
	}
	all, err := pages(func(o gh.ListOptions) ([]*gh.PullRequest, *gh.Response, error) {
		return c.gh.PullRequests.List(
			ctx, owner, name, &gh.PullRequestListOptions{State: "open", Head: head.Owner + ":" + head.Branch, ListOptions: o})
	})
	if err != nil {
		return Pull{}, may(err, repo, "read pull requests", readsPulls)
	}
	for _, p := range all {
		if found := pull(p); strings.EqualFold(found.HeadSHA, head.SHA) && found.HeadRef == head.Branch {
			return found, nil
		}
	}
	return Pull{}, store.Errorf(store.NotFound, "%s has no open pull request whose newest commit is %s of %s:%s",
		repo, clip(head.SHA), head.Owner, head.Branch)
}
