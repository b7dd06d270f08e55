package github

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// Artifact is a zip file that a workflow run uploaded.
type Artifact struct {
	ID      int64
	Name    string
	Size    int64 // in bytes
	Expired bool  // it can no longer be downloaded
	Created time.Time
}

// Artifacts returns the artifacts of a workflow run.
func (c *Client) Artifacts(ctx context.Context, repo string, run int64) ([]Artifact, error) {
	owner, name, err := split(repo)
	if err != nil {
		return nil, err
	}
	all, err := pages(func(o gh.ListOptions) ([]*gh.Artifact, *gh.Response, error) {
		list, resp, err := c.gh.Actions.ListWorkflowRunArtifacts(ctx, owner, name, run, &o)
		if err != nil {
			return nil, resp, err
		}
		return list.Artifacts, resp, nil
	})
	list := make([]Artifact, len(all))
	for i, a := range all {
		list[i] = Artifact{a.GetID(), a.GetName(), a.GetSizeInBytes(), a.GetExpired(), a.GetCreatedAt().Time}
	}
	return list, may(err, repo, "read artifacts", readsActions)
}

// Download writes the zip file of an artifact to a writer. Errors: too_large when it has more than
// maxBytes bytes; by then only a part of it is written.
func (c *Client) Download(ctx context.Context, repo string, artifact int64, to io.Writer, maxBytes int64) error {
	owner, name, err := split(repo)
	if err != nil {
		return err
	}
	ctx = withMax(ctx, maxBytes)
	// go-github's own method does not follow the redirect.
	err = c.do(ctx, http.MethodGet, fmt.Sprintf("repos/%s/%s/actions/artifacts/%d/zip", owner, name, artifact), nil, to)
	return may(err, repo, "read artifacts", readsActions)
}
