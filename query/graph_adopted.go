package query

import (
	"context"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts/graph"
)

// adopted returns the violations in an earlier graph. If only the present graph has rules, adopted checks these rules
// in the earlier graph. So when an old project adopts rules, only violations by the change itself are new. If the
// change also declares the first nodes, adopted checks the present nodes and rules against the earlier code. In this
// case all violations in the YAML files are new.
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
