package mcp

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// graphToolset is the name of the toolset of the architecture graph.
const graphToolset = "graph"

// diffBothIn holds the arguments of the tool diff in a project with a graph. With the argument since, the tool compares
// two states of the graph. Without since, the tool compares two runs, or a run and its baseline.
type diffBothIn struct {
	Since string `json:"since,omitempty" jsonschema:"instead: the graph since a commit, branch, HEAD~1"`
	diffIn
}

// graphDiffOut is the answer of diff for two states of the graph.
type graphDiffOut struct {
	query.GraphDiff
	Truncation
	in diffBothIn
}

func (o *graphDiffOut) parts() []part {
	more := func(total int, what string) func(int) []query.Omission {
		return func(n int) []query.Omission {
			return omitted(n, total, what, callLike("diff", o.in, "max_bytes", maxBytes))
		}
	}
	return []part{
		list(&o.AddedEdges, more(len(o.AddedEdges), "added edges")),
		list(&o.RemovedEdges, more(len(o.RemovedEdges), "removed edges")),
		list(&o.AddedNodes, more(len(o.AddedNodes), "added nodes")),
		list(&o.RemovedNodes, more(len(o.RemovedNodes), "removed nodes")),
		list(&o.ChangedNodes, more(len(o.ChangedNodes), "changed nodes")),
	}
}

// place returns the pull request, commit or branch whose graph the caller asks for.
func (in diffBothIn) place() string {
	if in.PR > 0 {
		return fmt.Sprintf("PR#%d", in.PR)
	}
	return cmp.Or(in.Commit, in.Branch)
}

// diffBothTool is the tool diff for a project with a graph. With the argument since, the tool compares two states of
// the graph. Without since, the tool compares two runs, or a run and its baseline.
var diffBothTool = newTool(spec{
	name: "diff",
	description: `Errors that are new, fixed and unchanged between two runs, or a run and its baseline; with since, ` +
		`changes of the graph. Example: diff(run1=4, run2=5).`,
	shapes: []reflect.Type{reflect.TypeFor[diffOut](), reflect.TypeFor[graphDiffOut]()},
}, func(c *call, in diffBothIn) (any, error) {
	if in.Since == "" {
		out, err := runDiff(c, in.diffIn)
		return &out, err
	}
	if in.Run1 != "" || in.Run2 != "" || in.Baseline != "" || in.Source != "" {
		return nil, store.Hint(store.Errorf(store.Invalid, "diff compares runs, or with since graphs, not both"),
			"leave out since, or else run1, run2, baseline and source")
	}
	d, err := c.Asker.GraphDiff(c, query.GraphDiffParams{Since: in.Since,
		DocsAt: query.DocsAt{Repo: in.Repo, At: in.place()}})
	return &graphDiffOut{GraphDiff: d, in: in}, err
})
