package graph

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/blq-ci/blq/internal/yamlfile"
)

// document reads values of a YAML file by their keys, and collects problems.
type document struct {
	file     string
	problems []Problem
}

// problem records a mistake at a line.
func (d *document) problem(at *yaml.Node, format string, args ...any) {
	const maxProblems = 1000
	line := 0
	if at != nil {
		line = at.Line
	}
	message := fmt.Sprintf(format, args...)
	if line == 0 {
		line = lineIn(message)
	}
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, Problem{d.file, line, message})
	}
}

// maxYAML is the max number of bytes of a YAML file. A short value takes a hundred times as much memory as its text.
const maxYAML = 2 << 20

// parse returns the mapping in a text, or nil for an empty text. The nodes have lines, but no columns or styles.
func (d *document) parse(text []byte) (*yaml.Node, error) {
	if len(text) <= maxYAML {
		if root := yamlfile.Plain(text); root != nil {
			return mapping(root)
		}
	}
	return d.parseExactly(text)
}

// parseExactly returns the mapping in a text, or nil for an empty text. The nodes have lines, columns and styles.
// Aliases are refused, because their expansion may be larger than the memory.
func (d *document) parseExactly(text []byte) (*yaml.Node, error) {
	if len(text) > maxYAML {
		return nil, fmt.Errorf("the file has %d bytes, and at most %d are read: write several files", len(text), maxYAML)
	}
	var top yaml.Node
	if err := yaml.Unmarshal(text, &top); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(top.Content) == 0 || top.Content[0].Tag == "!!null" {
		return nil, nil
	}
	root := top.Content[0]
	if at := alias(root); at != nil {
		return nil, fmt.Errorf("line %d: aliases are not read: write the value there", at.Line)
	}
	return mapping(root)
}

// mapping returns an error if the root of a file is not a mapping.
func mapping(root *yaml.Node) (*yaml.Node, error) {
	if root.Kind != yaml.MappingNode {
		return nil, errors.New("it has to be a mapping with keys such as nodes, edges and rules")
	}
	return root, nil
}

// lineIn returns the line that an error of the YAML library names, or 0 if there is none.
func lineIn(message string) (line int) {
	if _, after, found := strings.Cut(message, "YAML: line "); found {
		number, _, _ := strings.Cut(after, ":")
		line, _ = strconv.Atoi(number)
	}
	return line
}

// alias returns the first alias below a node, or nil if there is none.
func alias(n *yaml.Node) *yaml.Node {
	stack := []*yaml.Node{n}
	for len(stack) > 0 {
		n, stack = stack[len(stack)-1], stack[:len(stack)-1]
		if n.Kind == yaml.AliasNode {
			return n
		}
		stack = append(stack, n.Content...)
	}
	return nil
}

// get returns the value of a key of a mapping, or nil if there is none.
func get(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if v := n.Content[i+1]; n.Content[i].Value == key && v.Tag != "!!null" {
			return v
		}
	}
	return nil
}

// text returns the value of a key if it is a scalar, else "".
func text(n *yaml.Node, key string) string {
	if v := get(n, key); v != nil && v.Kind == yaml.ScalarNode {
		return v.Value
	}
	return ""
}

// texts returns the scalars of a list. It also accepts a single scalar.
func texts(v *yaml.Node) []string {
	if v == nil {
		return nil
	}
	if v.Kind == yaml.ScalarNode {
		return []string{v.Value}
	}
	var list []string
	if v.Kind == yaml.SequenceNode {
		for _, c := range v.Content {
			if c.Kind == yaml.ScalarNode {
				list = append(list, c.Value)
			}
		}
	}
	return list
}

// items returns the mappings in the list at a key.
func (d *document) items(n *yaml.Node, key string) []*yaml.Node {
	v := get(n, key)
	if v == nil {
		return nil
	}
	if v.Kind != yaml.SequenceNode {
		d.problem(v, "%s has to be a list", key)
		return nil
	}
	var list []*yaml.Node
	for _, c := range v.Content {
		if c.Kind != yaml.MappingNode {
			d.problem(c, "an item of %s has to be a mapping", key)
			continue
		}
		list = append(list, c)
	}
	return list
}
