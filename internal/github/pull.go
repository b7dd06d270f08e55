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
	Draft    bool
	Merged   bool
	// Mergeable is GitHub's mergeable_state, "" where a list does not have it.
	Mergeable string
}

func pull(p *gh.PullRequest) Pull {
	head, base := p.GetHead(), p.GetBase()
	return Pull{
		Number: p.GetNumber(), State: p.GetState(), Title: p.GetTitle(), Author: p.GetUser().GetLogin(), URL: p.GetHTMLURL(),
		HeadSHA: head.GetSHA(), HeadRef: head.GetRef(), HeadRepo: head.GetRepo().GetFullName(),
		BaseSHA: base.GetSHA(), BaseRef: base.GetRef(), Fork: head.GetRepo().GetID() != base.GetRepo().GetID(),
		Draft: p.GetDraft(), Merged: p.GetMerged() || p.MergedAt != nil, Mergeable: p.GetMergeableState(),
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
	if err != nil {
		return Pull{}, may(err, repo, "read pull requests", readsPulls)
	}
	return pull(p), nil
}

// PullOf returns the open pull request whose head is this commit of this branch. It finds pull
// requests of forks, which the workflow_run event does not name. Errors: not_found when there is
// none or its head has moved on.
func (c *Client) PullOf(ctx context.Context, repo string, head Head) (Pull, error) {
	owner, name, err := split(repo)
	if err != nil {
		return Pull{}, err
	}
	all, err := c.pullsOf(ctx, repo, owner, name, head, "open")
	if err != nil {
		return Pull{}, err
	}
	for _, found := range all {
		if strings.EqualFold(found.HeadSHA, head.SHA) && found.HeadRef == head.Branch {
			return found, nil
		}
	}
	return Pull{}, store.Errorf(store.NotFound, "%s has no open pull request whose newest commit is %s of %s:%s",
		repo, clip(head.SHA), head.Owner, head.Branch)
}

// pullsOf returns the pull requests of a branch in a state, newest first.
func (c *Client) pullsOf(ctx context.Context, repo, owner, name string, head Head, state string) ([]Pull, error) {
	if _, _, err := split(head.Owner + "/x"); err != nil || CheckRef(head.Branch) != nil {
		return nil, store.Errorf(store.Invalid, "%q cannot be the branch of a pull request",
			clip(head.Owner+":"+head.Branch))
	}
	all, err := pages(func(o gh.ListOptions) ([]*gh.PullRequest, *gh.Response, error) {
		return c.gh.PullRequests.List(
			ctx, owner, name, &gh.PullRequestListOptions{State: state, Head: head.Owner + ":" + head.Branch, ListOptions: o})
	})
	var list []Pull
	for _, p := range all {
		list = append(list, pull(p))
	}
	return list, may(err, repo, "read pull requests", readsPulls)
}

// PullOfBranch returns the pull request of a branch of the repository itself, and whether it has one: the open one, or
// else the newest one. For an open one the answer says whether it can be merged.
func (c *Client) PullOfBranch(ctx context.Context, repo, branch string) (p Pull, found bool, err error) {
	owner, name, err := split(repo)
	if err != nil {
		return p, false, err
	}
	all, err := c.pullsOf(ctx, repo, owner, name, Head{Owner: owner, Branch: branch}, "all")
	if err != nil {
		return p, false, err
	}
	for _, other := range all {
		isOpen := other.State == "open"
		if other.HeadRef == branch && !other.Fork && (!found || isOpen && p.State != "open" ||
			isOpen == (p.State == "open") && other.Number > p.Number) {
			p, found = other, true
		}
	}
	if found && p.State == "open" {
		p, err = c.Pull(ctx, repo, p.Number)
	}
	return p, found, err
}
