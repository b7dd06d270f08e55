package mcp_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// asked is a history without merge bases that counts the lookups of each fact.
type asked struct {
	mu    sync.Mutex
	times map[string]int
}

func (a *asked) count(fact string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.times[fact]++
}

func (a *asked) DefaultBranch(context.Context, string) (string, error) {
	a.count("the default branch")
	return "main", nil
}

func (a *asked) Ancestors(_ context.Context, _, commit, base string, n int) ([]string, error) {
	a.count(fmt.Sprint(commit, " and ", base, ", ", n))
	return nil, store.Errorf(store.NotFound, "no merge base")
}

// Each lookup starts git.
func TestAToolLooksUpEachFactOfTheHistoryOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, root)}
	for i, branch := range []string{"topic", "main"} { // fails on topic, passes on main
		f.Add(t, querytest.Run{Source: "build", At: i + 1, Exit: 1 - i,
			Git: &store.Git{Branch: branch, Commit: fmt.Sprintf("%040x", i+1), Root: root}})
	}
	history := &asked{times: map[string]int{}}
	f.Git, f.Ancestry = nil, history
	text, isError := serveOn(t, f).call("status", "{}")
	if isError || history.times["HEAD and HEAD, 1"] != 1 {
		t.Errorf("%s: %v", text, history.times)
	}
	for fact, n := range history.times {
		if n > 1 {
			t.Errorf("status looks up %s %d times", fact, n)
		}
	}
}
