package github

import (
	"context"

	gh "github.com/google/go-github/v60/github"

	"github.com/blq-ci/blq/store"
)

const (
	perPage  = 100
	maxPages = 100
)

// pages returns the items of all pages. Errors: too_large when there are too many pages.
func pages[T any](page func(gh.ListOptions) ([]T, *gh.Response, error)) ([]T, error) {
	var all []T
	o := gh.ListOptions{PerPage: perPage, Page: 1}
	for range maxPages {
		list, resp, err := page(o)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
		if resp.NextPage == 0 {
			return all, nil
		}
		o.Page = resp.NextPage
	}
	return nil, store.Errorf(store.TooLarge, "GitHub has more than %d of these", maxPages*perPage)
}

// do sends a request that go-github has no method for, or one whose method reads too much.
func (c *Client) do(ctx context.Context, method, path string, body, answer any) error {
	r, err := c.gh.NewRequest(method, path, body)
	if err != nil {
		return err
	}
	_, err = c.gh.Do(ctx, r, answer)
	return err
}
