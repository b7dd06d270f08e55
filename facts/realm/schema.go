package realm

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// drafts are the supported versions of JSON Schema.
var drafts = []string{
	"", "https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema",
	"https://json-schema.org/draft-07/schema",
}

// errValue is the error for a value that does not fit its schema.
var errValue = errors.New("the value does not fit the schema")

// checkSchema checks a schema. If the value is not nil, checkSchema also checks the value against the schema. The
// error wraps errValue if the value is wrong, and errUnsupported if the schema cannot be checked. References to other
// documents are never loaded.
func checkSchema(schema, value json.RawMessage) error {
	var tree, v any
	if err := json.Unmarshal(schema, &tree); err != nil {
		return err
	}
	if value != nil {
		if err := json.Unmarshal(value, &v); err != nil {
			return err
		}
	}
	switch object := tree.(type) {
	case bool:
	case map[string]any:
		if draft, _ := object["$schema"].(string); !slices.Contains(drafts, strings.TrimSuffix(draft, "#")) {
			return fmt.Errorf("%w: $schema is %q", errUnsupported, draft)
		}
	default:
		return errors.New("a schema is a mapping, true or false")
	}
	if err := checkTypes(tree); err != nil {
		return err
	}
	if err := checkCost(tree, v); err != nil {
		return err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return err
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{Loader: nil})
	if err != nil {
		if strings.Contains(err.Error(), "error parsing regexp") {
			return fmt.Errorf("%w: a pattern: %w", errUnsupported, err)
		}
		if ref := outside(tree); ref != "" && strings.Contains(err.Error(), "no loader") {
			return fmt.Errorf("$ref %.100q is outside of the contract, and is not followed; bundle the files into one", ref)
		}
		return err
	}
	if value == nil {
		return nil
	}
	if err := resolved.Validate(v); err != nil {
		return fmt.Errorf("%w: %w", errValue, err)
	}
	return nil
}

// outside returns the first reference of a schema to another document, or "" if there is none.
func outside(schema any) string {
	object, _ := schema.(map[string]any)
	if ref, _ := object["$ref"].(string); ref != "" && ref[0] != '#' {
		return ref
	}
	for _, s := range schemasIn(object) {
		if ref := outside(s.schema); ref != "" {
			return ref
		}
	}
	return ""
}

// types are the valid type names.
var types = []string{"null", "boolean", "object", "array", "number", "string", "integer"}

// checkTypes checks the type names in a schema.
func checkTypes(schema any) error {
	object, ok := schema.(map[string]any)
	if !ok {
		return nil
	}
	for _, name := range typesOf(object) {
		if !slices.Contains(types, name) {
			return fmt.Errorf("type %q is not one of %s", name, strings.Join(types, ", "))
		}
	}
	for _, s := range schemasIn(object) {
		if err := checkTypes(s.schema); err != nil {
			return err
		}
	}
	return nil
}

// typesOf returns the type names of a schema, or nil for all types.
func typesOf(object map[string]any) []string {
	switch t := object["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var all []string
		for _, e := range t {
			if name := fmt.Sprint(e); !slices.Contains(all, name) && len(all) <= len(types) {
				all = append(all, name)
			}
		}
		return all
	}
	return nil
}

// within is a schema inside of another schema.
type within struct {
	pointer string // pointer relative to the outer schema
	schema  any
}

// schemasIn returns the schemas directly inside of a schema, including definitions. The order is always the same: it
// follows a fixed list of keywords.
func schemasIn(object map[string]any) []within {
	var all []within
	for _, words := range [][]string{inPlaceWords, eitherWords, alsoWords, {"$defs", "definitions"}} {
		for _, word := range words {
			all = append(all, schemasOf(object, word)...)
		}
	}
	return all
}

// schemasOf returns the schemas of a keyword, in the order of their pointers.
func schemasOf(object map[string]any, word string) []within {
	var all []within
	switch v := object[word].(type) {
	case map[string]any:
		if !manyWords[word] {
			return []within{{"/" + word, v}}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(all, within{"/" + word + "/" + escape(name), v[name]})
		}
	case []any:
		for i, schema := range v {
			all = append(all, within{"/" + word + "/" + strconv.Itoa(i), schema})
		}
	}
	return all
}
