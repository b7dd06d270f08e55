//go:build unix

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/mcp/mcptest"
	"github.com/blq-ci/blq/store"
)

// A caller may mark documents of one repository as synced. The caller learns nothing about another repository, and
// changes nothing there.
func TestMarksOfForeignRepositories(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func() string{"sqlite": func() string { return "" },
		"postgres": func() string { return pgtest.Copy(t, migrated) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both, alone := newWorld(t, database()), newWorld(t, database())
			mcptest.SeedMine(t, both.fixture())
			mcptest.SeedTheirs(t, both.fixture())
			mcptest.SeedMine(t, alone.fixture())
			asked := `{"name":"sync_check","arguments":{"repo":"` + mcptest.Theirs + `"}}`
			owner := both.token(mcptest.Theirs)
			before := both.sync(owner, asked)
			mine, same := both.marker(mcptest.Mine), alone.marker(mcptest.Mine)
			for _, repo := range []string{"", mcptest.Theirs, "hidden/none"} {
				for _, node := range []string{"hidden-node", "@vault:hidden-node", "@hidden/vault:core",
					"@hidden/vault:hidden-node"} {
					call := `{"name":"mark_synced","arguments":{"ref_id":"` + node + `","repo":"` + repo + `"}}`
					got, want := both.sync(mine, call), alone.sync(same, call)
					if got != want || strings.Contains(got, `pairs_synced\":1`) {
						t.Errorf("%s:\n%s\nwithout it: %s", call, got, want)
					}
				}
			}
			if after := both.sync(owner, asked); after != before || !strings.Contains(after, "hidden-node") {
				t.Errorf("before: %s\nafter: %s", before, after)
			}
			marked := both.sync(both.marker(mcptest.Theirs), `{"name":"mark_synced","arguments":{"ref_id":"hidden-node"}}`)
			if !strings.Contains(marked, `pairs_synced\":1`) {
				t.Errorf("its owner marks nothing: %s", marked)
			}
		})
	}
}

// marker returns a token that may mark documents of a repository.
func (w *world) marker(repo string) string {
	w.Helper()
	secret, made, err := auth.NewToken(store.Token{Name: "test", Repos: []string{repo}, CreatedAt: time.Now(),
		Scopes: []store.TokenScope{store.ScopeRead, store.ScopeDocsWrite}})
	check(w.T, err)
	check(w.T, w.places.store.CreateToken(w.Context(), made))
	return secret
}

// sync calls a tool. The call has the name and the arguments of the tool, as JSON.
func (w *world) sync(token, call string) string {
	return w.send("POST", "/mcp", token, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+call+`}`))
}
