package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/blq-ci/blq/store"
)

// Schemas come from structs. The tags of a field say of its key: jsonschema
// what it means, enum which values it may have, default and min the rest.

// inputSchema returns the schema of a tool's arguments.
func inputSchema[In any]() json.RawMessage { return schemaOf[In](true) }

// outputSchema returns the schema of a tool's answer. It is open: an answer
// may get more keys some day.
func outputSchema[Out any]() json.RawMessage { return schemaOf[Out](false) }

func schemaOf[T any](closed bool) json.RawMessage {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: special})
	if err == nil {
		tidy(s, closed)
		constrain(s, reflect.TypeFor[T]())
		var text []byte
		if text, err = json.Marshal(s); err == nil {
			return text
		}
	}
	panic(fmt.Sprintf("schema of %s: %v", reflect.TypeFor[T](), err)) // the types are ours
}

// special are the schemas of types whose Go shape does not tell enough.
var special = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[store.CI](): {Type: "object"},
}

// tidy drops what readers of schemas need not, or stumble over: that a list
// may be null, which ours never are, and that an answer has no further keys.
func tidy(s *jsonschema.Schema, closed bool) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if !closed && s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		tidy(p, closed)
	}
	tidy(s.Items, closed)
	tidy(s.AdditionalProperties, closed)
}

// constrain adds what the tags of a struct's fields say beyond their meaning.
func constrain(s *jsonschema.Schema, t reflect.Type) {
	for f := range fields(t) {
		p := s.Properties[f.key]
		if p == nil {
			continue
		}
		for word := range strings.SplitSeq(f.tag.Get("enum"), ",") {
			if word != "" {
				p.Enum = append(p.Enum, word)
			}
		}
		if v := f.tag.Get("default"); v != "" {
			p.Default = json.RawMessage(v)
		}
		if v := f.tag.Get("min"); v != "" {
			n, err := strconv.ParseFloat(v, 64)
			if err != nil {
				panic(fmt.Sprintf("%s.%s: min: %v", t, f.key, err))
			}
			p.Minimum = &n
		}
	}
}

// field is a field of a struct as JSON has it.
type field struct {
	key   string
	tag   reflect.StructTag
	index []int
}

// fields returns the fields of a struct, those of embedded structs included.
func fields(t reflect.Type) func(yield func(field) bool) {
	return func(yield func(field) bool) {
		if t.Kind() != reflect.Struct {
			return
		}
		for _, f := range reflect.VisibleFields(t) {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key == "" || key == "-" || !f.IsExported() {
				continue
			}
			if !yield(field{key, f.Tag, f.Index}) {
				return
			}
		}
	}
}
