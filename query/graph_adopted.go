package query

import (
	"context"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// adopted returns the number of violations in an earlier graph, by fingerprint. If the rules have changed since then,
// the earlier graph is also checked with the present rules. So a new rule does not make old violations new.
func (g *architecture) adopted(ctx context.Context, before *architecture) (map[string]int, error) {
	now, was := orEmpty(g.declared, store.FactGraph), orEmpty(before.declared, store.FactGraph)
	if graph.SameRules(now, was) {
		return graph.Counts(before.Violations()), nil
	}
	return graph.Adopted(ctx, now, graph.Earlier{Declared: was, Graph: before.Graph, Rules: before.Rules,
		Index: before.Index, Named: before.Named})
}
