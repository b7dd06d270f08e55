package query

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// graphFiles changes files of the graph in the work tree.
type graphFiles interface {
	// ReplaceFile replaces the text of a file as a whole, if it still has the old one. Conflict: it has another.
	ReplaceFile(ctx context.Context, path string, old, text []byte) error
}

// UpdateNodeParams say what is changed.
type UpdateNodeParams struct {
	Ref     string  `json:"ref_id" jsonschema:"node"`
	Summary *string `json:"summary,omitempty" jsonschema:"new text"`
	Source  *string `json:"source,omitempty" jsonschema:"new file or folder"`
	Pull    bool    `json:"pull_request,omitempty" jsonschema:"open one" hosted:"true"`
	DocsAt
}

// NodeUpdated says what was changed, or has a patch that does.
type NodeUpdated struct {
	Updated bool   `json:"updated" jsonschema:"false: apply the patch"`
	Ref     string `json:"ref_id" jsonschema:"node"`
	File    string `json:"file" jsonschema:"YAML"`
	Patch   string `json:"patch,omitempty" jsonschema:"for git apply"`
	Hint    string `json:"hint,omitempty" jsonschema:"what to do"`
	Resolved
}

// UpdateNode changes the YAML of a node in the work tree. Where there is none, the answer has a patch. NotFound: there
// is no such node. Conflict: nothing declares it. Invalid: nothing is to be changed, or the source is no path of the
// repository.
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
	text, err := graph.Edit{Summary: p.Summary, Source: p.Source}.Apply(old, n.Ref)
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
	return u, nil
}

func (p UpdateNodeParams) check() error {
	switch {
	case p.Pull:
		return store.Hint(store.Errorf(store.Invalid, "this server cannot open pull requests"),
			"leave pull_request out: the answer has a patch")
	case p.Summary == nil && p.Source == nil:
		return store.Errorf(store.Invalid, "nothing is to be changed: name summary or source")
	case p.Source != nil && !isRepoPath(*p.Source):
		return store.Errorf(store.Invalid, "source is %.100q, and has to be a path in the repository", *p.Source)
	case p.Summary != nil && strings.ContainsAny(*p.Summary, "\n\r"):
		return store.Errorf(store.Invalid, "summary has to be one line")
	}
	return nil
}

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

// patch returns the difference of two texts as git writes it, in one hunk.
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
			if l == "" { // behind the last end of line
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
