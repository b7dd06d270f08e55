package client

import (
	"context"
	"net/url"
	"slices"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// testNames is the number of test names that are read from the store at a time.
const testNames = 1000

// sendTests sends the test results of the run. It sends nothing to an older service that does not accept test results.
func (u *upload) sendTests(ctx context.Context) error {
	blocks, err := u.Source.TestBlocks(ctx, store.Everything(), []string{u.attempt}, true)
	if err != nil || len(blocks) == 0 {
		return err
	}
	results := blocks[0].Results
	names := map[int64]store.Test{}
	for part := range slices.Chunk(results, testNames) {
		ids := make([]int64, len(part))
		for i, r := range part {
			ids[i] = r.Test.ID
		}
		tests, err := u.Source.Tests(ctx, store.Everything(), store.TestFilter{IDs: ids})
		if err != nil {
			return err
		}
		for _, t := range tests {
			names[t.ID] = t
		}
	}
	list := make([]api.Test, 0, len(results))
	for _, r := range results {
		t := names[r.Test.ID]
		if u.Hide != nil && u.Hide.Late() {
			e := store.Event{Test: t.Name, File: t.File}
			u.Hide.Event(&e)
			t.Name, t.File = e.Test, e.File
		}
		if t.Name != "" {
			list = append(list, api.Test{Name: t.Name, File: t.File, Outcome: r.Outcome.String(),
				Attempt: r.Attempt, Seconds: r.Duration.Seconds()})
		}
	}
	err = u.Client.putTests(ctx, u.attempt, list)
	if store.CodeOf(err) == store.NotFound {
		return nil // an older service does not have the route
	}
	return err
}

// putTests sends the results of a run's tests.
func (c *Client) putTests(ctx context.Context, attempt string, list []api.Test) error {
	return putLines(ctx, c, "/v1/runs/"+url.PathEscape(attempt)+"/tests", list)
}
