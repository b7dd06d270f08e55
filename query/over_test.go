package query_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// straight is a repository with one branch, main. A commit is the 40-digit hexadecimal number of its place in the
// history.
type straight struct {
	query.Git
	head  int
	asked *int // number of lookups so far
}

func straightCommit(i int) string { return fmt.Sprintf("%040x", i) }

func (straight) DefaultBranch(context.Context, string) (string, error) { return "main", nil }

func (straight) Branch(string) string { return "main" }

func (straight) Branches(context.Context, string) (map[string]bool, error) {
	return map[string]bool{"main": true}, nil
}

func (s straight) Ancestors(_ context.Context, _, commit, base string, _ int) ([]string, error) {
	*s.asked++
	return []string{straightCommit(min(s.place(commit), s.place(base)))}, nil
}

func (s straight) Inside(_ context.Context, _, of string, commits []string) (map[string]bool, error) {
	*s.asked++
	is := map[string]bool{}
	for _, c := range commits {
		is[c] = s.place(c) <= s.place(of)
	}
	return is, nil
}

func (s straight) SameFiles(_ context.Context, _, _ string, commits []string) (map[string]bool, error) {
	*s.asked++
	return outsideOfAll(commits), nil
}

func (s straight) OnBranches(ctx context.Context, _ string, commits []string) (map[string]bool, error) {
	*s.asked++
	return s.Inside(ctx, "", straightCommit(s.head), commits)
}

func (s straight) place(commit string) int {
	if commit == "HEAD" || commit == "main" {
		return s.head
	}
	n, _ := strconv.ParseInt(commit, 16, 64)
	return int(n)
}

// Each lookup starts git. So their number must not grow with the number of failures that a branch has had.
func TestAllFailuresOfABranchAreLookedUpTogether(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		last int // place of the last success
		open []string
	}{
		"the last success is at the newest commit": {80, nil},
		// Older code passed last, so the failures at later commits are not over.
		"the last success is at an old commit": {10, []string{"build:79"}},
	} {
		root := t.TempDir()
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, root)}
		n := 0
		add := func(place, exit int) {
			n++
			f.Add(t, querytest.Run{Source: "build", At: n, Exit: exit,
				Git: &store.Git{Branch: "main", Commit: straightCommit(place), Root: root}})
		}
		for i := range 79 {
			add(i+1, 1)
		}
		add(tt.last, 0)
		there := straight{f.Git, 90, new(int)}
		f.Git, f.Ancestry = there, there
		s, err := f.ForOneQuestion().Status(t.Context(), query.StatusParams{})
		querytest.Check(t, err)
		var open []string
		for _, o := range s.Sources {
			if o.Status == store.StatusFail {
				open = append(open, fmt.Sprintf("%s:%d", o.Name, o.RunID))
			}
		}
		if !slices.Equal(open, tt.open) {
			t.Errorf("%s: status names %s", name, strings.Join(open, ", "))
		}
		if tt.open == nil && *there.asked > 4 {
			t.Errorf("%s: status: %d lookups", name, *there.asked)
		}
		*there.asked = 0
		c, err := f.ForOneQuestion().Check(t.Context(), query.CheckParams{})
		querytest.Check(t, err)
		if c.Passed != (tt.open == nil) {
			t.Errorf("%s: %+v", name, c)
		}
		if tt.open == nil && *there.asked > 6 {
			t.Errorf("%s: check: %d lookups", name, *there.asked)
		}
	}
}

func TestWhatIsInsideAHistoryIsLookedUpOnce(t *testing.T) {
	t.Parallel()
	there := straight{nil, 9, new(int)}
	one := (&query.Asker{Git: there, Ancestry: there}).ForOneQuestion()
	for i, tt := range []struct {
		of     int
		places []int
		asked  int
	}{
		{5, []int{4, 6}, 1},
		{5, []int{6, 4}, 1},
		{5, []int{4, 7}, 2},
		{6, []int{4, 7}, 3}, // another history
		{5, nil, 3},
	} {
		var commits []string
		want := map[string]bool{}
		for _, n := range tt.places {
			commits = append(commits, straightCommit(n))
			want[straightCommit(n)] = n <= tt.of
		}
		got, err := one.Git.Inside(t.Context(), "", straightCommit(tt.of), commits)
		if diff := cmp.Diff(want, got); err != nil || diff != "" || *there.asked != tt.asked {
			t.Errorf("%d: %d lookups, %v %s", i, *there.asked, err, diff)
		}
	}
}

// In a shallow clone, Git may know nothing about a history. Then Inside returns nil, also when it is called again.
func TestAnUnknownHistoryStaysUnknown(t *testing.T) {
	t.Parallel()
	there := straight{nil, 9, new(int)}
	one := (&query.Asker{Git: shallow{there}, Ancestry: there}).ForOneQuestion()
	for range 2 {
		is, err := one.Git.Inside(t.Context(), "", straightCommit(5), []string{straightCommit(4)})
		if is != nil || err != nil {
			t.Errorf("%v %v", is, err)
		}
	}
}

type shallow struct{ straight }

func (shallow) Inside(context.Context, string, string, []string) (map[string]bool, error) {
	return nil, nil
}
