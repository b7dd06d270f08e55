package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

// pages returns candidates two at a time.
func pages(all []store.Candidate) func(after int64) ([]store.Candidate, error) {
	return func(after int64) ([]store.Candidate, error) {
		var page []store.Candidate
		for _, c := range all {
			if c.ID > after && len(page) < 2 {
				page = append(page, c)
			}
		}
		return page, nil
	}
}

func TestPolicyPrunesPageByPage(t *testing.T) {
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	all := []store.Candidate{{ID: 1, Size: 10}, {ID: 3, Size: 10}, {ID: 4, Size: 10}, {ID: 7, Size: 10}, {ID: 8, Size: 10}}
	for name, tt := range map[string]struct {
		policy store.Policy
		size   int64 // size of logs, including logs of running runs
		want   [][]int64
	}{
		"nothing":         {store.Policy{}, 60, nil},
		"all":             {store.Policy{All: true}, 0, [][]int64{{1, 3}, {4, 7}, {8}}},
		"by age":          {store.Policy{Before: at}, 0, [][]int64{{1, 3}, {4, 7}, {8}}},
		"per source":      {store.Policy{KeepPerSource: 1}, 0, [][]int64{{1, 3}, {4, 7}, {8}}},
		"it fits":         {store.Policy{MaxBytes: 60}, 60, nil},
		"a byte too much": {store.Policy{MaxBytes: 59}, 60, [][]int64{{1}}},
		"a page too much": {store.Policy{MaxBytes: 40}, 60, [][]int64{{1, 3}}},
		"too much":        {store.Policy{MaxBytes: 25}, 60, [][]int64{{1, 3}, {4, 7}}},
		"others run":      {store.Policy{MaxBytes: 1}, 60, [][]int64{{1, 3}, {4, 7}, {8}}},
		"both":            {store.Policy{Before: at, MaxBytes: 19}, 20, [][]int64{{1, 3}, {4, 7}, {8}, {1}}},
	} {
		var got [][]int64
		c := store.Candidates{Over: pages(all), All: pages(all), Size: func() (int64, error) { return tt.size, nil }}
		err := tt.policy.Prune(c, func(page []store.Candidate) error {
			var ids []int64
			for _, c := range page {
				ids = append(ids, c.ID)
			}
			got = append(got, ids)
			return nil
		})
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, -want +got:\n%s", name, err, diff)
		}
	}
	failed := errors.New("no")
	for name, c := range map[string]store.Candidates{
		"over": {Over: func(int64) ([]store.Candidate, error) { return nil, failed }},
		"large": {Over: pages(nil), Size: func() (int64, error) { return 2, nil },
			All: func(int64) ([]store.Candidate, error) { return nil, failed }},
		"size": {Over: pages(nil), Size: func() (int64, error) { return 0, failed }},
	} {
		err := store.Policy{All: true, MaxBytes: 1}.Prune(c, func([]store.Candidate) error { return nil })
		if !errors.Is(err, failed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPrunedAddsUp(t *testing.T) {
	p := store.Pruned{Runs: 1, Events: 2, Blobs: 3, Bytes: 4}
	p.Add(store.Pruned{Runs: 10, Events: 20, Blobs: 30, Bytes: 40})
	if want := (store.Pruned{Runs: 11, Events: 22, Blobs: 33, Bytes: 44}); p != want {
		t.Errorf("%+v", p)
	}
}
