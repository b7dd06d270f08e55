// Package yamlfile reads untrusted YAML files. The cost of reading a file is limited, even if the file refers to
// itself. An error contains the line, if the line is known.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// These are the limits for a file. Parse returns an error if a file exceeds a limit.
const (
	maxSize  = 2 << 20 // bytes
	maxDepth = 100     // depth of nested values
	maxNodes = 200_000 // keys and values, with the repeated keys and values from aliases
	maxText  = 8 << 20 // bytes of these keys and values
)

// Error is the error for a file that cannot be read.
type Error struct {
	Line    int // 1-based, 0 if unknown
	Message string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}

// Value is a value in a file. The zero Value is a missing value.
type Value struct{ node *yaml.Node }

// Parse returns the value of a file with a single document. An empty file has a missing value. The error is an
// *Error.
func Parse(text []byte) (Value, error) {
	if len(text) > maxSize {
		return Value{}, &Error{Message: fmt.Sprintf("the file has %d bytes, and at most %d are read", len(text), maxSize)}
	}
	return guarded(func() (Value, error) { return read(text) })
}

// guarded calls a function, and returns an error if the function panics. Callers parse files in goroutines of their
// own, where a panic of the YAML library would end the whole process.
func guarded(read func() (Value, error)) (v Value, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			v, err = Value{}, &Error{Message: fmt.Sprintf("the YAML library cannot read the file: %v", failure)}
		}
	}()
	return read()
}

func read(text []byte) (Value, error) {
	root := Plain(text)
	if root == nil {
		document, err := decode(text)
		if err != nil && strings.Contains(err.Error(), "escape") {
			document, err = decode(jsonEscapes(text))
		}
		if err != nil || document == nil {
			return Value{}, err
		}
		root = document.Content[0]
	}
	b := bound{nodes: 1} // the document itself counts
	if err := b.check(root, 1); err != nil {
		return Value{}, err
	}
	return Value{root}.resolved(), nil
}

// decode reads a file with the YAML library. It returns nil if the file has no document. It returns an error if the
// file has several documents.
func decode(text []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, syntax(err)
	}
	if err := decoder.Decode(&second); err == nil {
		return nil, &Error{Line: second.Line, Message: "a second document begins; a file has one"}
	} else if !errors.Is(err, io.EOF) {
		return nil, syntax(err)
	}
	return &document, nil
}

// syntax converts an error of the YAML library.
func syntax(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		number, message, _ := strings.Cut(rest, ": ")
		if line, err := strconv.Atoi(number); err == nil {
			return &Error{Line: line, Message: message}
		}
	}
	return &Error{Message: text}
}

// bound counts the values of a file with all aliases expanded.
type bound struct {
	nodes int
	text  int
	open  map[*yaml.Node]bool // anchors that are being expanded
}

func (b *bound) check(n *yaml.Node, depth int) error {
	b.nodes++
	b.text += len(n.Value)
	switch {
	case depth > maxDepth:
		return &Error{n.Line, fmt.Sprintf("values are nested more than %d deep", maxDepth)}
	case b.nodes > maxNodes:
		return &Error{n.Line, fmt.Sprintf("the file has more than %d values, with those that aliases repeat", maxNodes)}
	case b.text > maxText:
		return &Error{n.Line, fmt.Sprintf("the values have more than %d bytes, with those that aliases repeat", maxText)}
	case n.Kind == yaml.AliasNode:
		return b.follow(n, depth)
	}
	var keys map[string]bool
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if child.Kind != yaml.ScalarNode {
				return &Error{child.Line, "a key is not a text"}
			}
			if keys[child.Value] || len(n.Content) <= fewKeys && isKey(n.Content[:i], child.Value) {
				return &Error{child.Line, fmt.Sprintf("the key %q is there twice", child.Value)}
			}
			if len(n.Content) > fewKeys {
				if keys == nil {
					keys = make(map[string]bool, len(n.Content)/2)
				}
				keys[child.Value] = true
			}
		}
		if err := b.check(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// fewKeys is the max number of keys and values of a mapping for which comparing all keys is faster than a map.
const fewKeys = 16

// isKey reports whether a mapping has a key. content holds the keys and values of the mapping in turn.
func isKey(content []*yaml.Node, key string) bool {
	for i := 0; i < len(content); i += 2 {
		if content[i].Value == key {
			return true
		}
	}
	return false
}

// follow checks the target of an alias.
func (b *bound) follow(n *yaml.Node, depth int) error {
	if b.open[n.Alias] {
		return &Error{n.Line, fmt.Sprintf("the alias *%s stands for something that contains it", n.Value)}
	}
	if b.open == nil {
		b.open = map[*yaml.Node]bool{}
	}
	b.open[n.Alias] = true
	defer delete(b.open, n.Alias)
	return b.check(n.Alias, depth)
}

// resolved returns the target of an alias. It returns another value unchanged.
func (v Value) resolved() Value {
	for v.node != nil && v.node.Kind == yaml.AliasNode {
		v.node = v.node.Alias
	}
	return v
}

// IsZero reports whether the value is missing or null.
func (v Value) IsZero() bool {
	return v.node == nil || v.node.Kind == yaml.ScalarNode && v.node.ShortTag() == "!!null"
}

// Line returns the number of the line of a value, counted from 1. It returns 0 for a missing value.
func (v Value) Line() int {
	if v.node == nil {
		return 0
	}
	return v.node.Line
}

// Get returns the value of a key. The value is missing if the key is missing or the receiver is not a mapping.
func (v Value) Get(key string) Value {
	_, found := v.get(key)
	return found
}

// LineOf returns the line of a key, or the line of the mapping if the key is not there.
func (v Value) LineOf(key string) int {
	if k, _ := v.get(key); k.node != nil {
		return k.node.Line
	}
	return v.Line()
}

func (v Value) get(key string) (k, found Value) {
	if v.node == nil || v.node.Kind != yaml.MappingNode {
		return Value{}, Value{}
	}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		if v.node.Content[i].Value == key {
			return Value{v.node.Content[i]}, Value{v.node.Content[i+1]}.resolved()
		}
	}
	return Value{}, Value{}
}

// List returns the elements of a sequence. A scalar or mapping counts as a sequence with one element. Null and a
// missing value have no elements.
func (v Value) List() []Value {
	switch {
	case v.IsZero():
		return nil
	case v.node.Kind != yaml.SequenceNode:
		return []Value{v}
	}
	all := make([]Value, len(v.node.Content))
	for i, n := range v.node.Content {
		all[i] = Value{n}.resolved()
	}
	return all
}

// Text returns the text of a scalar, without quotes and with its escapes decoded. Numbers and booleans stay as the file
// has them. Text returns "" for null, for values that are not scalars, and for a missing value.
func (v Value) Text() string {
	if v.IsZero() || v.node.Kind != yaml.ScalarNode {
		return ""
	}
	return v.node.Value
}

// Texts returns the scalar elements of a sequence, without empty ones.
func (v Value) Texts() []string {
	var all []string
	for _, e := range v.List() {
		if t := e.Text(); t != "" {
			all = append(all, t)
		}
	}
	return all
}

// Bool returns the value as a boolean. If the value is not a boolean, Bool returns the parameter fallback.
func (v Value) Bool(fallback bool) bool {
	var b bool
	if v.IsZero() || v.node.Decode(&b) != nil {
		return fallback
	}
	return b
}

// IsMapping reports whether the value has keys.
func (v Value) IsMapping() bool { return v.node != nil && v.node.Kind == yaml.MappingNode }

// Member is a key of a mapping with its value.
type Member struct {
	Key string
	Value
}

// Members returns the members of a mapping in order. It does not resolve the key << (merge).
func (v Value) Members() []Member {
	if !v.IsMapping() {
		return nil
	}
	var all []Member
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		all = append(all, Member{v.node.Content[i].Value, Value{v.node.Content[i+1]}.resolved()})
	}
	return all
}
