package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

func TestPolicyChooses(t *testing.T) {
	at := func(day int) time.Time { return time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC) }
	all := []store.Candidate{
		{ID: 1, Rank: 3, Stored: 10, Started: at(1)},
		{ID: 2, Rank: 1, Stored: 10, Started: at(2), Running: true},
		{ID: 3, Rank: 2, Stored: 0, Started: at(3)},
		{ID: 4, Rank: 1, Stored: 10, Started: at(4)},
		{ID: 5, Rank: 1, Stored: 10}, // its start is not known
	}
	for name, tt := range map[string]struct {
		policy store.Policy
		want   []int64
		byAge  bool
	}{
		"nothing":                      {store.Policy{}, nil, true},
		"all":                          {store.Policy{All: true}, []int64{1, 3, 4, 5}, false},
		"by age":                       {store.Policy{Before: at(3)}, []int64{1, 5}, true},
		"per source":                   {store.Policy{KeepPerSource: 2}, []int64{1}, false},
		"one per source":               {store.Policy{KeepPerSource: 1}, []int64{1, 3}, false},
		"it fits":                      {store.Policy{MaxBytes: 40}, nil, false},
		"it does not fit":              {store.Policy{MaxBytes: 39}, []int64{1}, false},
		"hardly any":                   {store.Policy{MaxBytes: 11}, []int64{1, 4, 5}, false},
		"what goes by age is no more":  {store.Policy{Before: at(2), MaxBytes: 20}, []int64{1, 5}, false},
		"by age, and still too much":   {store.Policy{Before: at(2), MaxBytes: 19}, []int64{1, 4, 5}, false},
		"what goes by rank is no more": {store.Policy{KeepPerSource: 2, MaxBytes: 30}, []int64{1}, false},
	} {
		var got []int64
		for _, c := range tt.policy.Choose(all) {
			got = append(got, c.ID)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
		if tt.policy.OnlyByAge() != tt.byAge {
			t.Errorf("%s is only by age: %v", name, tt.policy.OnlyByAge())
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
