package query

import (
	"context"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// GraphDiffParams select two graphs.
type GraphDiffParams struct {
	Since string `json:"since,omitempty" jsonschema:"commit, branch, tag or HEAD~1" default:"\"HEAD~1\""`
	DocsAt
}

// GraphDiff lists the differences between the graph and an earlier graph.
type GraphDiff struct {
	Since        string        `json:"since" jsonschema:"as asked"`
	AddedNodes   []NodeInShort `json:"added_nodes" jsonschema:"ref_id, kind, summary" schema:"open"`
	RemovedNodes []NodeInShort `json:"removed_nodes" jsonschema:"ref_id, kind, summary" schema:"open"`
	ChangedNodes []NodeChange  `json:"changed_nodes" jsonschema:"ref_id, kind, old_summary, new_summary" schema:"open"`
	AddedEdges   []GraphEdge   `json:"added_edges" jsonschema:"src, dst, kind" schema:"open"`
	RemovedEdges []GraphEdge   `json:"removed_edges" jsonschema:"src, dst, kind" schema:"open"`
	SinceCommit  string        `json:"since_commit,omitempty" jsonschema:"commit that it was compared with"`
	Warning      string        `json:"warning,omitempty" jsonschema:"parts that are missing, with the reason" schema:"unlisted"`
	Resolved
}

// NodeInShort is a node in a list.
type NodeInShort struct {
	Ref     string `json:"ref_id" jsonschema:"name"`
	Kind    string `json:"kind" jsonschema:"kind"`
	Summary string `json:"summary" jsonschema:"summary in a line"`
}

// NodeChange is a changed node.
type NodeChange struct {
	Ref       string   `json:"ref_id" jsonschema:"name"`
	Kind      string   `json:"kind" jsonschema:"kind"`
	OldKind   string   `json:"old_kind,omitempty" jsonschema:"if it was another"`
	Old       string   `json:"old_summary" jsonschema:"before"`
	New       string   `json:"new_summary" jsonschema:"now"`
	OldSource string   `json:"old_source,omitempty" jsonschema:"if it was another"`
	Source    string   `json:"new_source,omitempty" jsonschema:"if it was another"`
	OldTags   []string `json:"old_tags,omitempty" jsonschema:"if they were others"`
	Tags      []string `json:"new_tags,omitempty" jsonschema:"if they were others"`
}

// GraphDiff compares the graph with the graph of an earlier commit. NotFound: there is no such commit, or one of the
// commits has no graph.
func (a *Asker) GraphDiff(ctx context.Context, p GraphDiffParams) (GraphDiff, error) {
	if p.Since == "" {
		p.Since = "HEAD~1"
	}
	d := GraphDiff{Since: Clean(p.Since), AddedNodes: []NodeInShort{}, RemovedNodes: []NodeInShort{},
		ChangedNodes: []NodeChange{}, AddedEdges: []GraphEdge{}, RemovedEdges: []GraphEdge{}}
	after, err := a.architecture(ctx, p.DocsAt)
	if err != nil {
		return d, err
	}
	before, err := a.since(ctx, p.DocsAt, p.Since)
	if err != nil {
		if store.CodeOf(err) == store.NotFound {
			next := store.NextOf(err)
			err = store.Errorf(store.NotFound, "Invalid git ref %.100q: %w", p.Since, err)
			if a.Docs != nil && a.Docs.Local {
				return d, store.Hint(err,
					"name a commit, branch or tag; if the clone is shallow: git fetch --unshallow")
			}
			err = store.Next(err, next)
		}
		return d, err
	}
	d.SinceCommit, d.Resolved = before.found.Pin(), after.resolved
	d.Warning = after.warning()
	c := graph.Compare(before.Graph, after.Graph)
	for _, n := range c.Added {
		d.AddedNodes = append(d.AddedNodes, NodeInShort{Clean(n.Ref), Clean(n.Kind), Clean(n.Summary)})
	}
	for _, n := range c.Removed {
		d.RemovedNodes = append(d.RemovedNodes, NodeInShort{Clean(n.Ref), Clean(n.Kind), Clean(n.Summary)})
	}
	for _, n := range c.Changed {
		d.ChangedNodes = append(d.ChangedNodes, newNodeChange(n))
	}
	for _, e := range c.AddedEdges {
		d.AddedEdges = append(d.AddedEdges, newGraphEdge(e))
	}
	for _, e := range c.RemovedEdges {
		d.RemovedEdges = append(d.RemovedEdges, newGraphEdge(e))
	}
	return d, nil
}

func newNodeChange(c graph.Change) NodeChange {
	n := NodeChange{Ref: Clean(c.New.Ref), Kind: Clean(c.New.Kind), Old: Clean(c.Old.Summary), New: Clean(c.New.Summary)}
	if c.Old.Kind != c.New.Kind {
		n.OldKind = Clean(c.Old.Kind)
	}
	if c.Old.Source != c.New.Source {
		n.OldSource, n.Source = Clean(c.Old.Source), Clean(c.New.Source)
	}
	if strings.Join(c.Old.Tags, "\n") != strings.Join(c.New.Tags, "\n") {
		n.OldTags, n.Tags = cleanAll(c.Old.Tags), cleanAll(c.New.Tags)
	}
	return n
}

// since returns the graph of an earlier commit.
func (a *Asker) since(ctx context.Context, at DocsAt, name string) (*architecture, error) {
	from, back := a.sinceOf(at.At, name)
	return a.architectureBack(ctx, DocsAt{Repo: at.Repo, At: from}, back)
}

// sinceOf resolves the name of an earlier commit. It returns a commit, and the number of first parents to follow from
// that commit. The parameter at is the commit in the question. A name such as HEAD~1 counts from that commit.
func (a *Asker) sinceOf(at, name string) (from string, back int) {
	n, ok := commitsBack(name)
	switch {
	case !ok:
		return name, 0
	case n == 0 && at == "" && a.Docs != nil && a.Docs.Local:
		return "HEAD", 0 // the work tree has changes
	}
	return at, n
}

// commitsBack parses HEAD, HEAD~2 or HEAD^^. It returns the number of commits back, such as 2 for HEAD~2. The bool
// result is false for a name of another form.
func commitsBack(name string) (int, bool) {
	rest, isHead := strings.CutPrefix(strings.TrimSpace(name), "HEAD")
	switch {
	case !isHead:
		return 0, false
	case rest == "":
		return 0, true
	case strings.Trim(rest, "^") == "":
		return len(rest), true
	case rest == "~":
		return 1, true
	case rest[0] == '~':
		n, err := strconv.Atoi(rest[1:])
		return n, err == nil && n >= 0
	}
	return 0, false
}
