package github

import (
	"bytes"
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Proposal is a change of one file of the default branch, for a new pull request.
type Proposal struct {
	Repo   string // owner/name
	File   string // path in the repository
	Branch string // branch of the pull request; the blob of the file is appended to it
	Title  string // one line; also the title of the commit
	Body   string // Markdown
	// Edit returns the new text of the file.
	Edit func([]byte) ([]byte, error)
}

// Proposed is a pull request with a change. It is zero if the file on the default branch needs no change.
type Proposed struct {
	Number int
	URL    string // address of the page for people
}

const (
	writesContents = "contents: write"
	writesPulls    = "pull-requests: write"
)

// maxProposed is the max size of a file that a proposal changes. In JSON, GitHub's API omits the
// content of larger files.
const maxProposed = 1 << 20

// proposing is a proposal in progress.
type proposing struct {
	client *Client
	Proposal
	owner, path string // path is the path of the repository in the API
	base        string // name of the default branch
}

// Propose opens a pull request with a change. If Edit changes nothing, Propose returns the zero Proposed. The name of
// the branch ends with the beginning of the old file's hash. So a call continues an earlier call that was interrupted,
// and returns a pull request that is already open. Errors: not_found when there is no such file, conflict when the
// branch has another change or the file is too large, and the errors of Edit.
func (c *Client) Propose(ctx context.Context, p Proposal) (Proposed, error) {
	path, err := pathOf(p.Repo)
	if err != nil {
		return Proposed{}, err
	}
	owner, _, _ := strings.Cut(p.Repo, "/")
	w := proposing{client: c, Proposal: p, owner: owner, path: path}
	about, err := c.Repo(ctx, p.Repo)
	if err != nil {
		return Proposed{}, withPermission(err, p.Repo, "read the repository", "contents: read")
	}
	w.base = about.DefaultBranch
	if full, _, ok := strings.Cut(about.Name, "/"); ok {
		w.owner = full // the repository may have been renamed
	}
	old, err := w.file(ctx, w.base)
	if err != nil {
		return Proposed{}, err
	}
	text, err := p.Edit(old.text)
	if err != nil || bytes.Equal(text, old.text) {
		return Proposed{}, err
	}
	w.Branch += "-" + old.SHA[:min(len(old.SHA), 12)]
	if err := CheckRef(w.Branch); err != nil {
		return Proposed{}, err
	}
	if err := w.commit(ctx, old, text); err != nil {
		return Proposed{}, err
	}
	return w.open(ctx)
}

// blob is a file of a commit.
type blob struct {
	SHA      string `json:"sha"`
	Content  string `json:"content"`
	Encoding string `json:"encoding"`
	Type     string `json:"type"`
	text     []byte
}

// contents returns the path of the file in the API.
func (w *proposing) contents() string { return w.path + "/contents/" + url.PathEscape(w.File) }

// file reads the file on a branch.
func (w *proposing) file(ctx context.Context, branch string) (blob, error) {
	var b blob
	err := w.client.do(ctx, http.MethodGet, w.contents()+"?ref="+url.QueryEscape(branch), nil, &b)
	if err != nil {
		return b, withPermission(err, w.Repo, "read "+clip(w.File), "contents: read")
	}
	if b.text, err = base64.StdEncoding.DecodeString(strings.ReplaceAll(b.Content, "\n", "")); err != nil ||
		b.Encoding != "base64" || b.Type != "file" || len(b.text) > maxProposed {
		return b, store.Errorf(store.Conflict, "%s of %s is not a file of up to %d bytes",
			clip(w.File), w.Repo, maxProposed)
	}
	return b, nil
}

// commit creates the branch unless it exists, and commits the new text to it unless the branch already has this text.
// Conflict: the branch has another change of the file.
func (w *proposing) commit(ctx context.Context, old blob, text []byte) error {
	var head struct {
		Object struct {
			SHA string `json:"sha"`
		} `json:"object"`
	}
	if err := w.client.do(ctx, http.MethodGet, w.path+"/git/ref/"+url.PathEscape("heads/"+w.base), nil,
		&head); err != nil {
		return withPermission(err, w.Repo, "read branch "+clip(w.base), "contents: read")
	}
	err := w.client.do(ctx, http.MethodPost, w.path+"/git/refs",
		map[string]string{"ref": "refs/heads/" + w.Branch, "sha": head.Object.SHA}, nil)
	if err != nil && store.CodeOf(withCode(err)) != store.Invalid {
		return withPermission(err, w.Repo, "create branches", writesContents)
	}
	if err != nil { // the branch may already exist
		now, unread := w.file(ctx, w.Branch)
		switch {
		case unread != nil:
			return withPermission(err, w.Repo, "create branch "+w.Branch, writesContents)
		case bytes.Equal(now.text, text):
			return nil
		case now.SHA != old.SHA:
			return store.Hint(store.Errorf(store.Conflict, "branch %s of %s has another change", w.Branch, w.Repo),
				"merge or delete it first")
		}
	}
	err = w.client.do(ctx, http.MethodPut, w.contents(), map[string]string{"message": w.Title, "branch": w.Branch,
		"sha": old.SHA, "content": base64.StdEncoding.EncodeToString(text)}, nil)
	if store.CodeOf(withCode(err)) != store.Conflict {
		return withPermission(err, w.Repo, "commit to branch "+w.Branch, writesContents)
	}
	if now, unread := w.file(ctx, w.Branch); unread == nil && bytes.Equal(now.text, text) {
		return nil // another call has just committed the text
	}
	return withPermission(err, w.Repo, "commit to branch "+w.Branch, writesContents)
}

// found is a pull request in the form of GitHub's API.
type found struct {
	Number int    `json:"number"`
	URL    string `json:"html_url"`
}

// open opens the pull request. If the pull request is already open, open returns it unchanged.
func (w *proposing) open(ctx context.Context) (Proposed, error) {
	have, err := w.opened(ctx)
	if err != nil || have.Number > 0 {
		return have, err
	}
	var made found
	err = w.client.do(ctx, http.MethodPost, w.path+"/pulls", map[string]string{"title": w.Title, "body": w.Body,
		"head": w.Branch, "base": w.base}, &made)
	if err == nil {
		return Proposed(made), nil
	}
	if store.CodeOf(withCode(err)) == store.Invalid { // another call may have just opened it
		if have, unread := w.opened(ctx); unread == nil && have.Number > 0 {
			return have, nil
		}
	}
	return Proposed{}, withPermission(err, w.Repo, "open pull requests", writesPulls)
}

// opened returns the open pull request of the branch. It returns the zero Proposed if there is none.
func (w *proposing) opened(ctx context.Context) (Proposed, error) {
	var list []found
	err := w.client.do(ctx, http.MethodGet, w.path+"/pulls?state=open&head="+url.QueryEscape(w.owner+":"+w.Branch),
		nil, &list)
	if err != nil {
		return Proposed{}, withPermission(err, w.Repo, "read pull requests", readsPulls)
	}
	if len(list) == 0 {
		return Proposed{}, nil
	}
	return Proposed(list[0]), nil
}
