package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

// Owners share the workers of a holder. One owner with many jobs does not get all workers.
func TestOwnersShareWorkers(t *testing.T) {
	t.Parallel()
	at := func(owner string, id int64) store.WaitingWork {
		return store.WaitingWork{ID: id, Owner: owner, DueAt: time.Unix(id, 0)}
	}
	line := func(owner string, from, n int) (list []store.WaitingWork) {
		for i := range n {
			list = append(list, at(owner, int64(from+i)))
		}
		return list
	}
	for _, c := range []struct {
		name    string
		free    int
		atWork  string // owners of running jobs
		waiting []store.WaitingWork
		want    string
	}{
		{"one alone gets half", 4, "", line("a", 1, 9), "[1 2]"},
		{"one that has half gets no more", 2, "a a", line("a", 1, 9), "[]"},
		{"two of three", 3, "", line("a", 1, 9), "[1 2]"},
		{"a single worker is for anybody", 1, "", line("a", 1, 2), "[1]"},
		{"two get a third each", 6, "", slices.Concat(line("a", 1, 9), line("b", 11, 9)), "[1 11 2 12]"},
		{"the last worker is for one that has none", 1, "a b c", slices.Concat(line("a", 1, 1), line("d", 2, 1)), "[2]"},
		{"who has fewer at work goes first", 4, "a", slices.Concat(line("a", 1, 1), line("b", 2, 1)), "[2 1]"},
		{"among equals the job that is due first", 2, "", []store.WaitingWork{at("b", 1), at("a", 2)}, "[1 2]"},
		{"jobs of no repository are those of an owner, too", 4, "", slices.Concat(line("", 1, 9), line("a", 11, 1)),
			"[1 11 2]"},
		{"nobody waits", 4, "a", nil, "[]"},
	} {
		got := fmt.Sprint(store.ShareWork(c.free, strings.Fields(c.atWork), c.waiting))
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
