package query

import (
	"context"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts/graph"
)

// adopted returns the violations of an earlier graph. If the earlier graph has no rules, adopted checks the rules of
// the change in the earlier graph. So if a project with old code adopts rules, only violations by the change itself are
// new. If the change also adds the nodes, adopted checks the nodes of the change in the earlier code. In that case all
// violations in the YAML of the change are new.
func (g *architecture) adopted(ctx context.Context, before *architecture) ([]graph.Violation, error) {
	switch {
	case len(before.Rules) > 0 || len(g.Rules) == 0:
		return before.Violations(), nil
	case !before.Derived:
		return graph.Lint(before.Graph, before.Index, g.Rules, before.Named), nil
	}
	whole, rules, err := graph.Load(ctx, g.found.Set, before.Index)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(graph.Lint(whole, before.Index, rules, nil), func(v graph.Violation) bool {
		return strings.HasPrefix(v.File, graph.Folder)
	}), nil
}
