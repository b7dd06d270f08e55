package query

import (
	"context"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts/graph"
)

// adopted returns the violations of an earlier graph. If that has no rules, the rules that the change brings are
// checked in it, so that a project with old code can adopt rules: only what the change itself does is new. If the change
// also brings the nodes, its nodes are looked for in the earlier code; violations in its YAML are new then.
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
