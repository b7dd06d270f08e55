package yamlfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// JSON returns a value as JSON, with the keys of mappings in their order. A missing value becomes null. If a number
// cannot be expressed in JSON, such as infinity, the error is an *Error.
func (v Value) JSON() (json.RawMessage, error) {
	if v.node == nil {
		return json.RawMessage("null"), nil
	}
	w := writer{}
	if err := w.write(v.node); err != nil {
		return nil, err
	}
	return w.out, nil
}

type writer struct{ out []byte }

func (w *writer) write(n *yaml.Node) error {
	switch n.Kind {
	case yaml.AliasNode:
		return w.write(n.Alias)
	case yaml.MappingNode:
		return w.mapping(n)
	case yaml.SequenceNode:
		w.out = append(w.out, '[')
		for i, child := range n.Content {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			if err := w.write(child); err != nil {
				return err
			}
		}
		w.out = append(w.out, ']')
		return nil
	}
	return w.scalar(n)
}

// mapping writes an object. Keys of a merged mapping (<<) are written at the place of the merge, except for keys that
// the mapping itself has.
func (w *writer) mapping(n *yaml.Node) error {
	w.out = append(w.out, '{')
	var written map[string]bool // nil if nothing is merged
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].ShortTag() == "!!merge" {
			written = keysOf(n)
			break
		}
	}
	first := true
	if err := w.members(n, written, true, &first); err != nil {
		return err
	}
	w.out = append(w.out, '}')
	return nil
}

// keysOf returns the keys of a mapping.
func keysOf(n *yaml.Node) map[string]bool {
	keys := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		keys[n.Content[i].Value] = true
	}
	return keys
}

func (w *writer) members(n *yaml.Node, written map[string]bool, own bool, first *bool) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.ShortTag() == "!!merge" {
			if err := w.merge(value, written, first); err != nil {
				return err
			}
			continue
		}
		if !own {
			if written[key.Value] {
				continue
			}
			written[key.Value] = true
		}
		if !*first {
			w.out = append(w.out, ',')
		}
		*first = false
		if err := w.text(key.Value); err != nil {
			return err
		}
		w.out = append(w.out, ':')
		if err := w.write(value); err != nil {
			return err
		}
	}
	return nil
}

// merge writes the members of merged mappings.
func (w *writer) merge(value *yaml.Node, written map[string]bool, first *bool) error {
	for _, from := range (Value{value}).resolved().List() {
		if !from.IsMapping() {
			return &Error{from.Line(), "<< needs a mapping"}
		}
		if err := w.members(from.node, written, false, first); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) scalar(n *yaml.Node) error {
	var v any
	switch n.ShortTag() {
	case "!!null":
	case "!!bool", "!!int", "!!float":
		if isInteger(n.Value) {
			w.out = append(w.out, n.Value...)
			return nil
		}
		if err := n.Decode(&v); err != nil {
			return &Error{n.Line, fmt.Sprintf("%q is not a value", n.Value)}
		}
	default:
		if n.Style == 0 && isTooLarge(n.Value) {
			return &Error{n.Line, "JSON has no number as large as " + n.Value}
		}
		return w.text(n.Value)
	}
	if f, ok := v.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
		return &Error{n.Line, "JSON has no number " + n.Value}
	}
	return w.value(v)
}

// isTooLarge reports whether a scalar is a number that is too large for a float64, such as 1e999. The YAML library
// takes such a number for a text.
func isTooLarge(value string) bool {
	if value == "" || strings.IndexByte("0123456789.+-", value[0]) < 0 {
		return false
	}
	_, err := strconv.ParseFloat(value, 64)
	return errors.Is(err, strconv.ErrRange)
}

// text writes a text as a JSON string.
func (w *writer) text(s string) error {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || strings.IndexByte(`"\<>&`, c) >= 0 {
			return w.value(s)
		}
	}
	w.out = append(w.out, '"')
	w.out = append(w.out, s...)
	w.out = append(w.out, '"')
	return nil
}

func (w *writer) value(v any) error {
	text, err := json.Marshal(v)
	w.out = append(w.out, text...)
	return err
}
