package query

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// importsEdge is the kind of the edge from a consumer to a contract.
const importsEdge = "imports"

// maxReached is the max number of consumers in an answer.
const maxReached = 30

// consumers adds to w the repositories that import a contract. The contract must be implemented by node n, or by a
// node that depends on n.
func (a *Asker) consumers(ctx context.Context, at DocsAt, g *architecture, n *graph.Node, w *Why) error {
	if a.Realms == nil {
		return nil
	}
	found, err := a.Realms.Member(ctx, RealmOf{RealmAt: RealmAt{Repo: g.found.Repo}})
	if err == nil {
		found, err = a.realm(ctx, RealmOf{RealmAt: RealmAt{Repo: g.found.Repo}, At: at.At})
	}
	if slices.Contains([]store.Code{store.NotFound, store.Invalid, store.TooLarge}, store.CodeOf(err)) {
		return nil // realm_check reports the problem
	}
	if err != nil || found.Current == "" {
		return err
	}
	nodes := map[string]bool{n.Ref: true}
	for _, r := range g.Downstream(n.Ref, whyDepth, whyNodes) {
		nodes[r.Ref] = true
	}
	implements := func(file string) bool {
		owner := g.Owner(file)
		return owner != nil && nodes[owner.Ref]
	}
	for _, d := range found.Domains {
		for _, c := range d.Contracts {
			if c.Owner != found.Current || !slices.ContainsFunc(d.Files(c.Name), implements) {
				continue
			}
			for _, u := range d.Uses(c.Name) {
				switch {
				case u.Repo == found.Current:
				case found.hides(u.Repo):
					w.Impact.Hidden++
				case w.Impact.Consumers < maxReached:
					w.Impact.Consumers++
					w.Downstream = append(w.Downstream, ReachedNode{"@" + Clean(u.Repo), "repository",
						clip(Clean("imports "+d.Name+"/"+c.Name+" "+u.Requirement), 160), importsEdge})
				}
			}
		}
	}
	return nil
}
