package graph

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/blq-ci/blq/internal/nearest"
	"github.com/blq-ci/blq/internal/yamlfile"
)

// document reads values of a YAML file by their keys, and collects problems.
type document struct {
	file     string
	problems []Problem // the first problems
	mistakes int       // number of all problems
}

// problem records a mistake at the line of a YAML node. Without a node, it takes the line from the message. If the
// message names no line, the mistake is at the first line of the file.
func (d *document) problem(at *yaml.Node, format string, args ...any) {
	const maxProblems = 1000
	message := fmt.Sprintf(format, args...)
	line := lineIn(message)
	if at != nil && at.Line > 0 {
		line = at.Line
	}
	d.mistakes++
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, Problem{d.file, max(line, 1), message})
	}
}

// maxYAML is the max number of bytes of a YAML file. A short value takes a hundred times as much memory as its text.
const maxYAML = 2 << 20

// parse returns the mapping in a text, or nil for an empty text. The nodes have lines. Callers that need columns or
// styles use parseExactly.
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
	var top, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	err := decoder.Decode(&top)
	if err == nil {
		if err = decoder.Decode(&second); err == nil && !isEmpty(&second) {
			d.problem(second.Content[0], "only the first document of a file is read: write several files")
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("this is not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if isEmpty(&top) {
		return nil, nil
	}
	root := top.Content[0]
	if at := alias(root); at != nil {
		return nil, fmt.Errorf("this is not valid YAML: line %d: aliases are not read: write the value there", at.Line)
	}
	return mapping(root)
}

// isEmpty reports whether a document has no value.
func isEmpty(top *yaml.Node) bool { return len(top.Content) == 0 || top.Content[0].Tag == "!!null" }

// mapping returns an error if the root of a file is not a mapping.
func mapping(root *yaml.Node) (*yaml.Node, error) {
	if root.Kind != yaml.MappingNode {
		return nil, errors.New("the file has to be a mapping with keys such as nodes, edges and rules")
	}
	return root, nil
}

// lineIn returns the line that an error of YAML names, or 0 if there is none.
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

// text returns the value of a key, or "" if there is none. Lists and mappings are mistakes.
func (d *document) text(n *yaml.Node, key string) string {
	v := get(n, key)
	switch {
	case v == nil:
		return ""
	case v.Kind != yaml.ScalarNode:
		d.problem(v, "%s has to be a text", key)
		return ""
	}
	return v.Value
}

// texts returns the texts in the list at a key. It also accepts a single text. Other values are mistakes.
func (d *document) texts(n *yaml.Node, key string) []string {
	v := get(n, key)
	if v == nil {
		return nil
	}
	items := v.Content
	switch v.Kind {
	case yaml.ScalarNode:
		return []string{v.Value}
	case yaml.MappingNode:
		items = []*yaml.Node{v}
	}
	var list []string
	for _, c := range items {
		if c.Kind != yaml.ScalarNode || c.Tag == "!!null" {
			d.problem(c, "%s has to be a list of texts", key)
			continue
		}
		list = append(list, c.Value)
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

// keys reports repeated keys of a mapping, because only the first of them is read. It also reports unknown keys that
// are similar to a missing known key, because unknown keys are not read.
func (d *document) keys(n *yaml.Node, known []string) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	const most, maxKey = 100, 40 // further keys and longer keys are not looked at
	for i := 0; i+1 < min(len(n.Content), 2*most); i += 2 {
		key := n.Content[i]
		if len(key.Value) > maxKey {
			continue
		}
		for before := 0; before < i; before += 2 {
			if n.Content[before].Value == key.Value {
				d.problem(key, "%s is there twice, and only the first is read", key.Value)
				break
			}
		}
		if slices.Contains(known, key.Value) {
			continue
		}
		if meant := nearest.Word(key.Value, known); meant != "" && get(n, meant) == nil {
			d.problem(key, "%s is not read; did you mean %s?", key.Value, meant)
		}
	}
}
