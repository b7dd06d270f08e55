package graph

import (
	"strings"

	"github.com/blq-ci/blq/facts/code"
)

// owners maps files to nodes.
type owners struct {
	graph   *Graph
	files   map[string]int // positions of nodes by file, -1 for none
	targets map[string][]int
	inDir   map[string][]string // source files by directory
}

// newOwners assigns files to nodes. The first annotation that names a node decides. Without an annotation, the node
// with the deepest source owns the file.
func newOwners(g *Graph, x *code.Index) *owners {
	o := &owners{graph: g, files: map[string]int{}, targets: map[string][]int{}, inDir: map[string][]string{}}
	for _, f := range x.Files() {
		n := -1
		for _, note := range f.Notes {
			if i, ok := g.index[note.Node]; ok {
				n = i
				break
			}
		}
		if n < 0 {
			n = g.owner(f.Path)
		}
		o.files[f.Path] = n
		dir := f.Path[:max(0, strings.LastIndexByte(f.Path, '/'))]
		o.inDir[dir] = append(o.inDir[dir], f.Path)
	}
	return o
}

// of returns the nodes that own an import's target. The target is a file, or a directory with a slash at the end.
func (o *owners) of(target string) []int {
	if nodes, known := o.targets[target]; known {
		return nodes
	}
	var nodes []int
	add := func(n int) {
		for _, have := range nodes {
			if have == n {
				return
			}
		}
		if n >= 0 {
			nodes = append(nodes, n)
		}
	}
	if dir, ok := strings.CutSuffix(target, "/"); ok {
		for _, f := range o.inDir[dir] {
			add(o.files[f])
		}
	} else if n, ok := o.files[target]; ok {
		add(n)
	}
	o.targets[target] = nodes
	return nodes
}

// codeowners holds the lines of a CODEOWNERS file.
type codeowners struct {
	patterns []string
	owners   [][]string
}

// maxOwnerLines is the max number of lines that are read from CODEOWNERS.
const maxOwnerLines = 5000

func readCodeowners(text string) codeowners {
	var c codeowners
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, " #")
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") || strings.HasPrefix(words[0], "[") {
			continue
		}
		if len(c.patterns) == maxOwnerLines {
			break
		}
		c.patterns, c.owners = append(c.patterns, words[0]), append(c.owners, words[1:])
	}
	return c
}

// of returns the owners of a path. The last matching line decides.
func (c codeowners) of(path string) []string {
	for i := len(c.patterns) - 1; i >= 0; i-- {
		if ownerMatch(c.patterns[i], path) {
			return c.owners[i]
		}
	}
	return nil
}

// ownerMatch reports whether a pattern of CODEOWNERS matches a path, or a directory that contains the path.
func ownerMatch(pattern, path string) bool {
	anchored := strings.Contains(strings.TrimSuffix(pattern, "/"), "/")
	directory := strings.HasSuffix(pattern, "/")
	pattern = strings.Trim(pattern, "/")
	if pattern == "*" || pattern == "**" {
		return true
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for end := 1; end <= len(parts); end++ {
		if directory && end == len(parts) && !strings.HasSuffix(path, "/") {
			return false
		}
		from := 0
		if !anchored {
			from = end - 1
		}
		if segments(strings.Split(pattern, "/"), parts[from:end]) {
			return true
		}
	}
	return false
}

// segments reports whether the elements of a pattern match the elements of a path. ** matches any number of elements.
func segments(pattern, path []string) bool {
	const maxParts = 100
	if len(pattern) > maxParts || len(path) > maxParts {
		return false
	}
	reach := make([]bool, len(path)+1) // whether the pattern so far matches the first i elements of the path, by i
	reach[0] = true
	for _, p := range pattern {
		next := make([]bool, len(path)+1)
		for i, ok := range reach {
			switch {
			case !ok:
			case p == "**":
				for k := i; k <= len(path); k++ {
					next[k] = true
				}
			case i < len(path) && glob(p, path[i]):
				next[i+1] = true
			}
		}
		reach = next
	}
	return reach[len(path)]
}
