package store_test

import (
	"testing"

	"github.com/blq-ci/blq/store"
)

func TestIncompleteNamesWhatIsMissing(t *testing.T) {
	run := store.Ref{Source: "build", Serial: 5}
	for _, tt := range []struct {
		chunks, batches []int
		want            store.Finish
		message         string
	}{
		{nil, nil, store.Finish{}, ""},
		{nil, nil, store.Finish{Chunks: -1, Batches: -1}, ""},
		{[]int{0, 1, 2}, []int{0}, store.Finish{Chunks: 3, Batches: 1}, ""},
		{[]int{0, 1, 2}, nil, store.Finish{Chunks: 2}, ""},
		{[]int{1, 4}, nil, store.Finish{Chunks: 6}, "run build:5 misses chunks 0, 2-3, 5"},
		{[]int{-7, 0}, nil, store.Finish{Chunks: 2, Batches: 2}, "run build:5 misses chunks 1 and batches of events 0-1"},
	} {
		err := store.Incomplete(run, tt.want, tt.chunks, tt.batches)
		if got := message(err); got != tt.message || err != nil && store.CodeOf(err) != store.Conflict {
			t.Errorf("%v, %v of %+v: %q, want %q", tt.chunks, tt.batches, tt.want, got, tt.message)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
