package github

import (
	"context"
	"fmt"
	"io"
	"time"
)

// Artifact is a zip file that a workflow run uploaded.
type Artifact struct {
	ID      int64     `json:"id"`
	Name    string    `json:"name"`
	Size    int64     `json:"size_in_bytes"`
	Expired bool      `json:"expired"` // the artifact cannot be downloaded any more
	Created time.Time `json:"created_at"`
}

// artifactPage is a page of a list of artifacts.
type artifactPage struct {
	Artifacts []Artifact `json:"artifacts"`
}

// Artifacts returns the artifacts of a workflow run.
func (c *Client) Artifacts(ctx context.Context, repo string, run int64) ([]Artifact, error) {
	path, err := pathOf(repo)
	if err != nil {
		return nil, err
	}
	list, err := pages(ctx, c, fmt.Sprintf("%s/actions/runs/%d/artifacts", path, run), nil,
		func(p artifactPage) []Artifact { return p.Artifacts })
	return list, withPermission(err, repo, "read artifacts", readsActions)
}

// Download writes the zip file of an artifact to a writer. Errors: too_large when the file has more than maxBytes
// bytes. In this case only a part of the file is written.
func (c *Client) Download(ctx context.Context, repo string, artifact int64, to io.Writer, maxBytes int64) error {
	path, err := pathOf(repo)
	if err != nil {
		return err
	}
	err = c.copy(withMax(ctx, maxBytes), fmt.Sprintf("%s/actions/artifacts/%d/zip", path, artifact), to)
	return withPermission(err, repo, "read artifacts", readsActions)
}
