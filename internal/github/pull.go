package github

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/github/payload"
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
	URL      string // address of the page for people
	Draft    bool
	Merged   bool
	// Mergeable is GitHub's mergeable_state. It is "" in lists without that field.
	Mergeable string
}

// pullAnswer is a pull request in the form of GitHub's API.
type pullAnswer struct {
	payload.PullRequest
	State     string          `json:"state"`
	Title     string          `json:"title"`
	User      payload.Account `json:"user"` // zero if the account was deleted
	URL       string          `json:"html_url"`
	Draft     bool            `json:"draft"`
	Merged    bool            `json:"merged"` // not set in lists, which have only the time
	MergedAt  time.Time       `json:"merged_at"`
	Mergeable string          `json:"mergeable_state"`
}

func pull(p pullAnswer) Pull {
	var head, base payload.Repository
	if p.Head.Repo != nil {
		head = *p.Head.Repo
	}
	if p.Base.Repo != nil {
		base = *p.Base.Repo
	}
	return Pull{
		Number: p.Number, State: p.State, Title: p.Title, Author: p.User.Login, URL: p.URL,
		HeadSHA: p.Head.SHA, HeadRef: p.Head.Ref, HeadRepo: head.FullName,
		BaseSHA: p.Base.SHA, BaseRef: p.Base.Ref, Fork: head.ID != base.ID,
		Draft: p.Draft, Merged: p.Merged || !p.MergedAt.IsZero(), Mergeable: p.Mergeable,
	}
}

// Head is the head branch of a pull request.
type Head struct {
	Owner  string // owner of the branch's repository; that repository may be a fork
	Branch string
	SHA    string // the newest commit
}

const readsPulls = "pull-requests: read"

// Pull returns a pull request.
func (c *Client) Pull(ctx context.Context, repo string, number int) (Pull, error) {
	var p pullAnswer
	if err := c.get(ctx, repo, fmt.Sprintf("pulls/%d", number), "read pull requests", readsPulls, &p); err != nil {
		return Pull{}, err
	}
	return pull(p), nil
}

// PullOf returns the open pull request with the given head branch and commit. It also finds pull requests of forks,
// which the workflow_run event does not name. Errors: not_found when there is no such pull request, or when the branch
// has another commit by now.
func (c *Client) PullOf(ctx context.Context, repo string, head Head) (Pull, error) {
	all, err := c.pullsOf(ctx, repo, head, "open")
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
func (c *Client) pullsOf(ctx context.Context, repo string, head Head, state string) ([]Pull, error) {
	path, err := pathOf(repo)
	if err != nil {
		return nil, err
	}
	if _, _, err := split(head.Owner + "/x"); err != nil || CheckRef(head.Branch) != nil {
		return nil, store.Errorf(store.Invalid, "%q cannot be the branch of a pull request",
			clip(head.Owner+":"+head.Branch))
	}
	all, err := pages(ctx, c, path+"/pulls", url.Values{"state": {state}, "head": {head.Owner + ":" + head.Branch}},
		func(p []pullAnswer) []pullAnswer { return p })
	var list []Pull
	for _, p := range all {
		list = append(list, pull(p))
	}
	return list, withPermission(err, repo, "read pull requests", readsPulls)
}

// PullOfBranch returns the pull request of a branch in the repository itself. ok reports whether there is one. It
// prefers an open pull request to closed ones, and otherwise returns the newest. For an open pull request, the result
// says whether it can be merged.
func (c *Client) PullOfBranch(ctx context.Context, repo, branch string) (p Pull, ok bool, err error) {
	owner, _, _ := strings.Cut(repo, "/")
	all, err := c.pullsOf(ctx, repo, Head{Owner: owner, Branch: branch}, "all")
	if err != nil {
		return p, false, err
	}
	for _, other := range all {
		isOpen := other.State == "open"
		if other.HeadRef == branch && !other.Fork && (!ok || isOpen && p.State != "open" ||
			isOpen == (p.State == "open") && other.Number > p.Number) {
			p, ok = other, true
		}
	}
	if ok && p.State == "open" {
		p, err = c.Pull(ctx, repo, p.Number)
	}
	return p, ok, err
}
