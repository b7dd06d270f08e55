package query

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// graphFiles replaces files of the graph in the work tree.
type graphFiles interface {
	// ReplaceFile replaces the text of a file. Conflict: the file no longer has the old text.
	ReplaceFile(ctx context.Context, path string, old, text []byte) error
}

// UpdateNodeParams select a node and its new values.
type UpdateNodeParams struct {
	Ref     string  `json:"ref_id" jsonschema:"node"`
	Summary *string `json:"summary,omitempty" jsonschema:"new text"`
	Source  *string `json:"source,omitempty" jsonschema:"new file or folder"`
	DocsAt
}

// NodeUpdated says whether the node was changed in the work tree. If it was not, NodeUpdated holds a patch.
type NodeUpdated struct {
	Updated bool   `json:"updated" jsonschema:"false: see hint"`
	Ref     string `json:"ref_id" jsonschema:"node"`
	File    string `json:"file" jsonschema:"YAML"`
	Patch   string `json:"patch,omitempty" jsonschema:"for git apply"`
	Pull    string `json:"pull_request,omitempty" jsonschema:"URL, if one is open" schema:"unlisted"`
	Hint    string `json:"hint,omitempty" jsonschema:"advice"`
	Resolved
}

// Proposals opens pull requests that change the graph.
type Proposals interface {
	// Propose opens a pull request and returns its URL. If the pull request is already open, Propose returns its URL,
	// too. If the server opens no pull requests, or if the change has already been made, the URL is "", and the hint
	// has the reason. If the caller may not open pull requests, the URL and the hint are "".
	Propose(ctx context.Context, p Proposal) (url, hint string, err error)
}

// Proposal is a change of a node in the YAML of the default branch.
type Proposal struct {
	Repo, Node, File string
	Changes          []string // names of the changed values
	Key              string   // identifies the change
	Edit             func([]byte) ([]byte, error)
}

// UpdateNode changes the YAML of a node in the work tree. Without a work tree, the answer has a patch, and UpdateNode
// opens a pull request if the caller may do so. If At is set, the answer has only a patch. NotFound: there is no such
// node. Conflict: no file declares the node, or the file has changed. Invalid: there is nothing to change, or a new
// value is not allowed. TooLarge: a new value is too long.
func (a *Asker) UpdateNode(ctx context.Context, p UpdateNodeParams) (NodeUpdated, error) {
	var u NodeUpdated
	if err := p.check(); err != nil {
		return u, err
	}
	g, err := a.architecture(ctx, p.DocsAt)
	if err != nil {
		return u, err
	}
	n, err := g.Find(p.Ref)
	if err != nil {
		return u, err
	}
	if n.File == "" {
		return u, store.Hint(store.Errorf(store.Conflict, "%.100s is not declared: it follows from folders", n.Ref),
			"write the graph down first: blq graph init")
	}
	old, err := g.yaml(ctx, n.File)
	if err != nil {
		return u, err
	}
	edit := graph.Edit{Summary: p.Summary, Source: p.Source}
	text, err := edit.Apply(old, n.Ref)
	if err != nil {
		return u, err
	}
	u = NodeUpdated{Ref: Clean(n.Ref), File: Clean(n.File), Resolved: g.resolved}
	if files, ok := a.Graphs.(graphFiles); ok && p.At == "" {
		u.Updated = true
		return u, files.ReplaceFile(ctx, n.File, old, text)
	}
	u.Patch = patch(n.File, string(old), string(text))
	u.Hint = "the work tree is not here: apply the patch with git apply, and open a pull request"
	if a.Proposals == nil || p.At != "" {
		return u, nil
	}
	url, hint, err := a.Proposals.Propose(ctx, p.proposal(g.library.repo, n, edit))
	if url != "" {
		u.Pull, hint = url, "somebody has to merge the pull request"
	}
	u.Hint = cmp.Or(hint, u.Hint)
	return u, err
}

// proposal returns a pull request with the change of a node.
func (p UpdateNodeParams) proposal(repo string, n *graph.Node, edit graph.Edit) Proposal {
	out := Proposal{Repo: repo, Node: n.Ref, File: n.File,
		Edit: func(text []byte) ([]byte, error) { return edit.Apply(text, n.Ref) }}
	key := []string{n.Ref, n.File}
	for _, change := range []struct {
		name  string
		value *string
	}{{"summary", p.Summary}, {"source", p.Source}} {
		if change.value != nil {
			out.Changes = append(out.Changes, change.name)
			key = append(key, change.name, *change.value)
		}
	}
	out.Key = facts.Digest([]byte(strings.Join(key, "\x00")))
	return out
}

func (p UpdateNodeParams) check() error {
	switch {
	case p.Summary == nil && p.Source == nil:
		return store.Errorf(store.Invalid, "nothing is to be changed: name summary or source")
	case p.Source != nil && !isRepoPath(*p.Source):
		return store.Errorf(store.Invalid, "source is %.100q, and has to be a path in the repository", *p.Source)
	case p.Source != nil && len(*p.Source) > maxChanged || p.Summary != nil && len(*p.Summary) > maxChanged:
		return store.Errorf(store.TooLarge, "summary and source have at most %d bytes", maxChanged)
	case p.Summary != nil && (strings.ContainsAny(*p.Summary, "\n\r") || !utf8.ValidString(*p.Summary)):
		return store.Errorf(store.Invalid, "summary has to be one line")
	}
	return nil
}

// maxChanged is the max size of a changed value, in bytes.
const maxChanged = 4 << 10

// isRepoPath reports whether a text may be a path in a repository.
func isRepoPath(s string) bool {
	clean := path.Clean(s)
	return s != "" && !path.IsAbs(s) && clean != ".." && !strings.HasPrefix(clean, "../") &&
		!strings.ContainsAny(s, "\\\n\r\x00")
}

// yaml returns the text of a file of the graph.
func (g *architecture) yaml(ctx context.Context, file string) ([]byte, error) {
	i := slices.IndexFunc(g.found.Files(), func(f facts.File) bool { return f.Path == file })
	if i < 0 {
		return nil, store.Errorf(store.NotFound, "%s is not here", file)
	}
	return g.found.Read(ctx, g.found.Files()[i])
}

// patch returns the difference between two texts in the format of git, in one hunk.
func patch(file, old, text string) string {
	was, is := strings.SplitAfter(old, "\n"), strings.SplitAfter(text, "\n")
	first := 0
	for first < min(len(was), len(is)) && was[first] == is[first] {
		first++
	}
	last := 0 // equal lines at the end
	for last < min(len(was), len(is))-first && was[len(was)-1-last] == is[len(is)-1-last] {
		last++
	}
	const around = 3
	from := max(0, first-around)
	wasEnd, isEnd := len(was)-last, len(is)-last
	after := min(around, last)
	var b strings.Builder
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", file, file)
	write := func(mark string, lines []string) {
		for _, l := range lines {
			if l == "" { // text after the last line end is empty
				continue
			}
			b.WriteString(mark + l)
			if !strings.HasSuffix(l, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	count := func(lines []string) int {
		if n := len(lines); n > 0 && lines[n-1] == "" {
			return n - 1
		}
		return len(lines)
	}
	fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", from+1, count(was[from:wasEnd+after]), from+1, count(is[from:isEnd+after]))
	write(" ", was[from:first])
	write("-", was[first:wasEnd])
	write("+", is[first:isEnd])
	write(" ", was[wasEnd:wasEnd+after])
	return b.String()
}
