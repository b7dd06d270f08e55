package query

import (
	"context"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// adopted returns the number of violations in an earlier graph, by fingerprint. If the rules have changed since, the
// present rules are checked in the earlier graph, too. So when a project adopts a rule, only violations by the change
// itself are new.
func (g *architecture) adopted(ctx context.Context, before *architecture) (map[string]int, error) {
	now, was := orEmpty(g.declared, store.FactGraph), orEmpty(before.declared, store.FactGraph)
	if graph.SameRules(now, was) {
		return graph.Counts(before.Violations()), nil
	}
	return graph.Adopted(ctx, now, graph.Earlier{Declared: was, Graph: before.Graph, Rules: before.Rules,
		Index: before.Index, Named: before.Named})
}
