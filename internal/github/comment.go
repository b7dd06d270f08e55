package github

import (
	"context"
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/blq-ci/blq/internal/github/payload"
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
	URL      string // address of the page for people
	Created  time.Time
	Updated  time.Time
}

// commentAnswer is a comment in the form of GitHub's API.
type commentAnswer struct {
	ID   int64 `json:"id"`
	User struct {
		payload.Account
		Type string `json:"type"`
	} `json:"user"` // zero if the account was deleted
	Body    string    `json:"body"`
	URL     string    `json:"html_url"`
	Created time.Time `json:"created_at"`
	Updated time.Time `json:"updated_at"`
}

func comment(c commentAnswer) Comment {
	return Comment{
		ID: c.ID, Author: c.User.Login, AuthorID: c.User.ID, Bot: c.User.Type == "Bot", Body: c.Body, URL: c.URL,
		Created: c.Created, Updated: c.Updated,
	}
}

// Comments returns all comments of an issue or pull request, oldest first.
func (c *Client) Comments(ctx context.Context, repo string, number int) ([]Comment, error) {
	path, err := pathOf(repo)
	if err != nil {
		return nil, err
	}
	all, err := pages(ctx, c, fmt.Sprintf("%s/issues/%d/comments", path, number), nil,
		func(p []commentAnswer) []commentAnswer { return p })
	list := make([]Comment, len(all))
	for i, one := range all {
		list[i] = comment(one)
	}
	return list, withPermission(err, repo, "read comments", "pull-requests: read")
}

// CreateComment adds a comment. Errors: too_large for more than MaxComment characters.
func (c *Client) CreateComment(ctx context.Context, repo string, number int, body string) (Comment, error) {
	return c.writeComment(ctx, http.MethodPost, repo, fmt.Sprintf("issues/%d/comments", number), body)
}

// EditComment replaces the text of a comment. It returns the same errors as CreateComment.
func (c *Client) EditComment(ctx context.Context, repo string, id int64, body string) (Comment, error) {
	return c.writeComment(ctx, http.MethodPatch, repo, fmt.Sprintf("issues/comments/%d", id), body)
}

func (c *Client) writeComment(ctx context.Context, method, repo, path, body string) (Comment, error) {
	if n := utf8.RuneCountInString(body); n > MaxComment {
		return Comment{}, store.Errorf(store.TooLarge, "a comment has %d characters at most, not %d", MaxComment, n)
	}
	of, err := pathOf(repo)
	if err != nil {
		return Comment{}, err
	}
	var answer commentAnswer
	err = c.do(ctx, method, of+"/"+path, map[string]string{"body": body}, &answer)
	return comment(answer), withPermission(err, repo, "write comments", writesComments)
}

// DeleteComment removes a comment.
func (c *Client) DeleteComment(ctx context.Context, repo string, id int64) error {
	path, err := pathOf(repo)
	if err != nil {
		return err
	}
	err = c.do(ctx, http.MethodDelete, fmt.Sprintf("%s/issues/comments/%d", path, id), nil, nil)
	return withPermission(err, repo, "remove comments", writesComments)
}
