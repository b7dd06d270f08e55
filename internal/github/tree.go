package github

import (
	"context"
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/blq-ci/blq/store"
)

const readsContents = "contents: read"

// maxFile is the max size of a file that File returns. GitHub sends larger files in another way.
const maxFile = 1 << 20

// File returns the text of a file at a commit, branch or tag. Errors: too_large when the file has more than a
// megabyte; not_found when there is no such file.
func (c *Client) File(ctx context.Context, repo, file, ref string) ([]byte, error) {
	if err := CheckRef(ref); err != nil {
		return nil, err
	}
	if file == "" || strings.HasPrefix(file, "/") || strings.Contains(file, "..") {
		return nil, store.Errorf(store.NotFound, "%q is not a file of a repository", clip(file))
	}
	var b blob
	if err := c.get(ctx, repo, "contents/"+url.PathEscape(file)+"?ref="+url.QueryEscape(ref), "read "+clip(file),
		readsContents, &b); err != nil {
		return nil, err
	}
	text, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(b.Content, "\n", ""))
	if err != nil || b.Encoding != "base64" || b.Type != "file" || len(text) > maxFile {
		return nil, store.Errorf(store.TooLarge, "%s of %s is not a file of up to %d bytes", clip(file), repo, maxFile)
	}
	return text, nil
}

// Tree returns the names of the files of a commit. GitHub lists at most 100,000 files. complete reports whether the
// list is complete.
func (c *Client) Tree(ctx context.Context, repo, sha string) (files []string, complete bool, err error) {
	if err := CheckRef(sha); err != nil {
		return nil, false, err
	}
	var answer struct {
		Tree []struct {
			Path string `json:"path"`
			Type string `json:"type"`
		} `json:"tree"`
		Truncated bool `json:"truncated"`
	}
	if err := c.get(withMax(ctx, maxTree), repo, "git/trees/"+url.PathEscape(sha)+"?recursive=1", "list files",
		readsContents, &answer); err != nil {
		return nil, false, err
	}
	for _, e := range answer.Tree {
		if e.Type == "blob" {
			files = append(files, e.Path)
		}
	}
	return files, !answer.Truncated, nil
}

// maxTree is the max size in bytes of a list of files. It is larger than GitHub's own limit.
const maxTree = 64 << 20
