//go:build !job

package formats

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Document is a contract that was read.
type Document struct {
	api     *openAPI
	proto   *protoFiles
	graphql *graphQL
}

// Read reads a contract: OpenAPI as JSON, or the text of another format. imported are the files that a Protocol
// Buffers file imports.
func Read(f Format, text []byte, imported ...[]byte) (*Document, error) {
	d := &Document{}
	var err error
	switch f {
	case OpenAPI:
		d.api, err = readOpenAPI(text)
	case Protobuf:
		d.proto, err = readProto(append([][]byte{text}, imported...))
	case GraphQL:
		d.graphql, err = readGraphQL(text)
	default:
		err = fmt.Errorf("format %q is not supported", f)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Changes returns the harmful changes between two states of a contract. Breaking changes come first. Changes of one
// level are in the order of the contract. rules is file, wire_json or wire. It applies only to Protocol Buffers.
func Changes(before, after *Document, rules string) []Change {
	l := &list{}
	switch {
	case before.api != nil && after.api != nil:
		(&apiDiff{list: l, from: before.api, to: after.api, seen: map[apiPair]bool{}, open: map[*any]bool{}}).all()
	case before.proto != nil && after.proto != nil:
		(&protoDiff{list: l, from: before.proto, to: after.proto, rules: rules}).all()
	case before.graphql != nil && after.graphql != nil:
		(&graphDiff{list: l, from: before.graphql, to: after.graphql}).all()
	default:
		l.add(Breaking, "format-changed", "the contract is in another format")
	}
	sort.SliceStable(l.changes, func(i, k int) bool { return l.changes[i].Level > l.changes[k].Level })
	return l.changes
}

// list collects changes, up to maxChanges of each level. The limit applies to each level separately, so a breaking
// change is not lost behind many others.
type list struct {
	changes []Change
	count   [Breaking + 1]int
}

// add adds a change. It ignores harmless changes, changes that the list already has, and more than maxChanges of a
// level.
func (l *list) add(level Level, rule, format string, args ...any) {
	if level == Harmless || l.count[level] == maxChanges {
		return
	}
	c := Change{level, rule, fmt.Sprintf(format, args...)}
	if slices.ContainsFunc(l.changes, func(x Change) bool { return x.Text == c.Text && x.Level >= level }) {
		return
	}
	l.count[level]++
	l.changes = append(l.changes, c)
}

// set returns a set of texts.
func set(texts []string) map[string]bool {
	all := make(map[string]bool, len(texts))
	for _, t := range texts {
		all[t] = true
	}
	return all
}

// keyOf returns a text for a JSON value. Equal values have equal texts, and different values have different texts.
func keyOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// object returns a JSON object, or nil for other values.
func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// array returns a JSON array, or nil for other values.
func array(v any) []any {
	a, _ := v.([]any)
	return a
}

// text returns a JSON string, or "" for other values.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// shown returns a JSON value as text for a message.
func shown(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	if len(b) > 60 {
		return strings.ToValidUTF8(string(b[:60]), "") + "…" // the cut may be inside of a character
	}
	return string(b)
}
