package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// Schemas come from structs. The tags of a field describe its key:
//
//   - jsonschema is the meaning, enum lists the values, and default is the value of a missing key
//   - hosted marks keys for servers of many repositories
//   - schema "open" means that the description names the keys inside, and "unlisted" leaves the key out
//
// An agent reads all schemas before it begins, so schemas are as short as possible. They leave out rules that the
// function decode checks. Answers may get more keys later.

// inputSchema returns the schema of a tool's arguments.
func inputSchema(t reflect.Type, hosted bool) json.RawMessage {
	return schemaText(newSchema(t, true, hosted))
}

func schemaText(s *jsonschema.Schema) json.RawMessage {
	text, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("write schema: %v", err)) // the types are constants of the program
	}
	return text
}

func newSchema(t reflect.Type, input, hosted bool) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: special()})
	if err != nil {
		panic(fmt.Sprintf("schema of %s: %v", t, err))
	}
	tidy(s, input)
	constrain(s, t, hosted)
	return s
}

// either returns the schema of an answer with one of several shapes.
func either(shapes []reflect.Type, hosted bool) *jsonschema.Schema {
	if len(shapes) == 1 {
		return newSchema(shapes[0], false, hosted)
	}
	all := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, t := range shapes {
		s := newSchema(t, false, hosted)
		all.PropertyOrder = append(all.PropertyOrder, s.PropertyOrder...)
		for key, p := range s.Properties {
			all.Properties[key] = merge(all.Properties[key], p)
		}
	}
	slices.Sort(all.PropertyOrder)
	all.PropertyOrder = slices.Compact(all.PropertyOrder)
	return all
}

// merge returns the schema of values that have one of two shapes.
func merge(a, b *jsonschema.Schema) *jsonschema.Schema {
	if a == nil || b == nil || a.Items == nil || b.Items == nil {
		return cmp.Or(a, b)
	}
	for key, p := range b.Items.Properties {
		if a.Items.Properties[key] == nil {
			a.Items.Properties[key] = p
			a.Items.PropertyOrder = append(a.Items.PropertyOrder, key)
		}
	}
	return a
}

// special holds the schemas of some types. For these types, a schema made from the Go type would be wrong, too long or
// too general.
var special = sync.OnceValue(func() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[store.CI]():       {Type: "object"},
		reflect.TypeFor[query.Omission](): {Type: "string"},
		reflect.TypeFor[query.NodeRefs](): {Types: []string{"string", "array"}},
		reflect.TypeFor[runArg]():         {Types: []string{"integer", "string"}},
		reflect.TypeFor[any]():            {Description: "text, number or null"},
		reflect.TypeFor[query.Mention]():  {},
	}
})

// tidy removes parts of a schema that clients do not need or do not understand:
//   - the permission of null, except for required keys of an answer whose values are not lists;
//   - the rule that an object has no further keys;
//   - in an answer, the list of required keys;
//   - in an answer, the descriptions of keys whose values are neither objects nor lists of objects;
//   - in an answer, the schema of list items that are strings or may have any type.
//
// Names and values are enough for a client. docs/tools.md describes the rest.
func tidy(s *jsonschema.Schema, input bool) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	required := s.Required
	if !input {
		s.Required = nil
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil {
		s.AdditionalProperties = nil
	}
	for key, p := range s.Properties {
		// Only a required key can have the value null, and lists are never null.
		var types []string
		if !input && len(p.Types) == 2 && p.Types[1] != "array" && slices.Contains(required, key) {
			types = p.Types
		}
		tidy(p, input)
		if !input && p.Items != nil && (p.Items.Type == "string" || reflect.ValueOf(*p.Items).IsZero()) {
			p.Items = nil
		}
		if !input && p.Type != "object" && (p.Items == nil || p.Items.Type != "object") {
			p.Description = ""
		}
		if types != nil {
			p.Type, p.Types = "", types
		}
	}
	tidy(s.Items, input)
	tidy(s.AdditionalProperties, input)
}

// constrain adds the constraints from the tags of a struct's fields.
func constrain(s *jsonschema.Schema, t reflect.Type, hosted bool) {
	for f := range questions.Fields(t) {
		p := s.Properties[f.Key]
		if p == nil {
			continue
		}
		if f.Tag.Get("hosted") != "" && !hosted {
			delete(s.Properties, f.Key)
			s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(key string) bool { return key == f.Key })
			continue
		}
		for word := range strings.SplitSeq(f.Tag.Get("enum"), ",") {
			if word != "" {
				p.Enum = append(p.Enum, word)
			}
		}
		if v := f.Tag.Get("default"); v != "" {
			p.Default = json.RawMessage(v)
		}
		if f.Tag.Get("schema") == "unlisted" {
			delete(s.Properties, f.Key)
			s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(key string) bool { return key == f.Key })
			continue
		}
		if f.Tag.Get("schema") == "open" {
			brief(p)
		}
	}
}

// brief removes the keys from the schema of an object, or of the objects in a list. The tool's description names the
// keys.
func brief(s *jsonschema.Schema) {
	s.Items = nil
	s.Properties, s.PropertyOrder, s.AdditionalProperties = nil, nil, nil
}
