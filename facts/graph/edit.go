package graph

import (
	"bytes"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/blq-ci/blq/store"
)

// Edit is a change of a declared node. A nil value stays unchanged.
type Edit struct{ Summary, Source *string }

// Apply returns the YAML text with the values of a node changed. Other lines do not change. The error is NotFound if
// the text does not declare the node. The error is Conflict if the node is written in a form that cannot be changed
// safely.
func (e Edit) Apply(text []byte, ref string) ([]byte, error) {
	for _, change := range []struct {
		key   string
		value *string
	}{{"summary", e.Summary}, {"source", e.Source}} {
		if change.value == nil {
			continue
		}
		var err error
		if text, err = setValue(text, ref, change.key, *change.value); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// declaration returns the mapping that declares a node.
func declaration(content []byte, ref string) (*yaml.Node, error) {
	d := document{}
	root, err := d.parseExactly(content)
	if err != nil {
		return nil, store.Errorf(store.Conflict, "the file cannot be changed: %w", err)
	}
	for _, n := range d.items(root, "nodes") {
		if d.text(n, "ref_id") == ref {
			return n, nil
		}
	}
	return nil, store.Errorf(store.NotFound, "no node %.100q is declared there", ref)
}

// setValue sets the value of a key of a node.
func setValue(content []byte, ref, key, value string) ([]byte, error) {
	n, err := declaration(content, ref)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(content, []byte("\n"))
	quoted := strconv.Quote(value)
	if old := get(n, key); old != nil {
		err = replaceScalar(lines, old, quoted)
	} else {
		err = insertKey(lines, n, key+": "+quoted)
	}
	if err != nil {
		return nil, err
	}
	edited := bytes.Join(lines, nil)
	again, err := declaration(edited, ref)
	if d := (document{}); err != nil || d.text(again, key) != value {
		return nil, cannotChange(n.Line)
	}
	return edited, nil
}

// cannotChange returns the error for a line that Apply cannot change safely. An example is the line of a value that
// continues on the next line.
func cannotChange(line int) error {
	return store.Hint(store.Errorf(store.Conflict, "line %d is written in a form that blq does not change", line),
		"edit the file")
}

// replaceScalar replaces a value that is on one line.
func replaceScalar(lines [][]byte, old *yaml.Node, value string) error {
	line := lines[old.Line-1]
	from := byteOf(line, old.Column)
	end := scalarEnd(line[from:], old.Style)
	if old.Kind != yaml.ScalarNode || end < 0 {
		return cannotChange(old.Line)
	}
	lines[old.Line-1] = []byte(string(line[:from]) + value + string(line[from+end:]))
	return nil
}

// byteOf converts a column, counted in characters from 1, to a byte offset.
func byteOf(line []byte, column int) int {
	at := 0
	for range []rune(string(line))[:min(column-1, len([]rune(string(line))))] {
		for at++; at < len(line) && line[at]&0xc0 == 0x80; at++ {
		}
	}
	return at
}

// scalarEnd returns the length of the scalar at the beginning of s, the rest of a line. It returns -1 if the scalar
// continues on the next line.
func scalarEnd(s []byte, style yaml.Style) int {
	switch {
	case style&yaml.DoubleQuotedStyle != 0:
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return -1
	case style&yaml.SingleQuotedStyle != 0:
		for i := 1; i < len(s); i++ {
			if s[i] != '\'' {
				continue
			}
			if i+1 < len(s) && s[i+1] == '\'' {
				i++
				continue
			}
			return i + 1
		}
		return -1
	case style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return -1
	}
	end := len(bytes.TrimRight(s, " \t\r\n"))
	if i := bytes.Index(s[:end], []byte(" #")); i >= 0 {
		end = len(bytes.TrimRight(s[:i], " \t"))
	}
	if i := bytes.IndexAny(s[:end], ",}]"); i >= 0 && bytes.ContainsAny(s[i:], "}]") {
		// The comma or bracket may belong to the scalar, or to a flow mapping or list around the scalar. scalarEnd
		// assumes the latter, and the caller checks the result.
		end = len(bytes.TrimRight(s[:i], " \t"))
	}
	return end
}

// insertKey adds a key to a mapping, after its ref_id.
func insertKey(lines [][]byte, n *yaml.Node, entry string) error {
	var key, value *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "ref_id" {
			key, value = n.Content[i], n.Content[i+1]
		}
	}
	line := lines[value.Line-1]
	from := byteOf(line, value.Column)
	end := scalarEnd(line[from:], value.Style)
	if end < 0 {
		return cannotChange(value.Line)
	}
	if n.Style&yaml.FlowStyle != 0 {
		lines[value.Line-1] = []byte(string(line[:from+end]) + ", " + entry + string(line[from+end:]))
		return nil
	}
	whole := strings.TrimRight(string(line), "\r\n")
	ending := string(line[len(whole):])
	if ending == "" {
		ending = "\n"
	}
	lines[value.Line-1] = []byte(whole + ending + strings.Repeat(" ", key.Column-1) + entry + ending)
	return nil
}
