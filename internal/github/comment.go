package github

import (
	"context"
	"time"
	"unicode/utf8"

	gh "github.com/google/go-github/v60/github"

	"github.com/blq-ci/blq/store"
)

// MaxComment is the max number of characters in a comment.
const MaxComment = 65_536

const writesComments = "pull-requests: write"

// Comment is a comment of an issue or pull request.
type Comment struct {
	ID       int64
	Author   string // login name
	AuthorID int64
	Bot      bool // the author is an app
	Body     string
	URL      string // of the page for people
	Created  time.Time
	Updated  time.Time
}

func comment(c *gh.IssueComment) Comment {
	return Comment{
		ID: c.GetID(), Author: c.GetUser().GetLogin(), AuthorID: c.GetUser().GetID(), Bot: c.GetUser().GetType() == "Bot",
		Body: c.GetBody(), URL: c.GetHTMLURL(), Created: c.GetCreatedAt().Time, Updated: c.GetUpdatedAt().Time,
	}
}

// Comments returns all comments of an issue or pull request, oldest first.
func (c *Client) Comments(ctx context.Context, repo string, number int) ([]Comment, error) {
	owner, name, err := split(repo)
	if err != nil {
		return nil, err
	}
	all, err := pages(func(o gh.ListOptions) ([]*gh.IssueComment, *gh.Response, error) {
		return c.gh.Issues.ListComments(ctx, owner, name, number, &gh.IssueListCommentsOptions{ListOptions: o})
	})
	list := make([]Comment, len(all))
	for i, one := range all {
		list[i] = comment(one)
	}
	return list, may(err, repo, "read comments", "pull-requests: read")
}

// CreateComment adds a comment. Errors: too_large for more than MaxComment characters.
func (c *Client) CreateComment(ctx context.Context, repo string, number int, body string) (Comment, error) {
	owner, name, err := splitFor(repo, body)
	if err != nil {
		return Comment{}, err
	}
	created, _, err := c.gh.Issues.CreateComment(ctx, owner, name, number, &gh.IssueComment{Body: &body})
	return comment(created), may(err, repo, "write comments", writesComments)
}

// EditComment replaces the text of a comment. Errors are those of CreateComment.
func (c *Client) EditComment(ctx context.Context, repo string, id int64, body string) (Comment, error) {
	owner, name, err := splitFor(repo, body)
	if err != nil {
		return Comment{}, err
	}
	edited, _, err := c.gh.Issues.EditComment(ctx, owner, name, id, &gh.IssueComment{Body: &body})
	return comment(edited), may(err, repo, "write comments", writesComments)
}

// DeleteComment removes a comment.
func (c *Client) DeleteComment(ctx context.Context, repo string, id int64) error {
	owner, name, err := split(repo)
	if err != nil {
		return err
	}
	_, err = c.gh.Issues.DeleteComment(ctx, owner, name, id)
	return may(err, repo, "remove comments", writesComments)
}

func splitFor(repo, body string) (owner, name string, err error) {
	if n := utf8.RuneCountInString(body); n > MaxComment {
		return "", "", store.Errorf(store.TooLarge, "a comment has %d characters at most, not %d", MaxComment, n)
	}
	return split(repo)
}
