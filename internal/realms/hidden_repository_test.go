package realms_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// A repository that the caller may not see is like one that does not exist: the same error with the same next steps,
// and nothing of the repository is read.
func TestHiddenRepositoriesAreLikeThoseThatDoNotExist(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.realm()
	f.run("acme/azure", 10, now, true)
	w := &watched{Blobs: f.blobs}
	all := f.facts()
	all.Blobs = w
	a := f.asker("acme/crimson")
	a.Realms = realms.Stored{Facts: all, Scope: store.Repos("acme/crimson"), Told: f.store}
	for name, ask := range toolsets(t, a) {
		hidden := ask("acme/azure")
		read := slices.Clone(w.read)
		none := ask("acme/azurx")
		if strings.ReplaceAll(hidden, "azure", "azurx") != none || len(read) > 0 || len(w.read) > 0 {
			t.Errorf("%s\n%s\n%s\n%d objects are read", name, hidden, none, len(read))
		}
	}
}

// toolsets returns functions that each ask a question about a repository. They return the answer or the error as text.
func toolsets(t *testing.T, a *query.Asker) map[string]func(repo string) string {
	ctx := t.Context()
	of := func(repo string) query.RealmAt { return query.RealmAt{Repo: repo} }
	at := func(repo string) query.DocsAt { return query.DocsAt{Repo: repo} }
	shown := func(v any, err error) string {
		return text(v, err) + text(store.NextOf(err), nil)
	}
	return map[string]func(repo string) string{
		"realm_status": func(r string) string { return shown(a.RealmStatus(ctx, query.RealmStatusParams{RealmAt: of(r)})) },
		"realm_check":  func(r string) string { return shown(a.RealmCheck(ctx, query.RealmCheckParams{RealmAt: of(r)})) },
		"contract_get": func(r string) string {
			return shown(a.ContractGet(ctx, query.ContractGetParams{RealmAt: of(r), Domain: "s3", Contract: "permissions"}))
		},
		"notifications_list": func(r string) string {
			return shown(a.NotificationsList(ctx, query.NotificationsListParams{RealmAt: of(r)}))
		},
		"session_start":   func(r string) string { return shown(a.SessionStart(ctx, query.SessionStartParams{RealmAt: of(r)})) },
		"realm_pr_status": func(r string) string { return shown(a.PRStatus(ctx, query.PRStatusParams{RealmAt: of(r)})) },
		"prime":           func(r string) string { return shown(a.Prime(ctx, query.PrimeParams{DocsAt: at(r)})) },
		"why":             func(r string) string { return shown(a.Why(ctx, query.WhyParams{Ref: r + "@test:1:1"})) },
		"why a node":      func(r string) string { return shown(a.Why(ctx, query.WhyParams{Ref: "core", DocsAt: at(r)})) },
	}
}
