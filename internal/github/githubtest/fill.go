package githubtest

import (
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// fill adds the required parts of a schema that a value lacks. So tests set only the fields that matter to them, and
// clients still get complete responses.
func fill(s *openapi3.Schema, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, part := range append(chosen(s, v), s) {
			for _, name := range part.Required {
				if _, there := v[name]; !there && part.Properties[name] != nil {
					v[name] = blank(part.Properties[name].Value)
				}
			}
			for name, inner := range v {
				if p := part.Properties[name]; p != nil {
					v[name] = fill(p.Value, inner)
				}
			}
		}
	case []any:
		for _, part := range append(chosen(s, v), s) {
			for i := range v {
				if part.Items != nil {
					v[i] = fill(part.Items.Value, v[i])
				}
			}
		}
	}
	return v
}

// chosen returns the schemas that a value must satisfy in addition to the given schema. These are all schemas of allOf,
// and the first schemas of anyOf and oneOf that have the value's type.
func chosen(s *openapi3.Schema, v any) []*openapi3.Schema {
	var list []*openapi3.Schema
	for _, part := range s.AllOf {
		list = append(append(list, part.Value), chosen(part.Value, v)...)
	}
	for _, choices := range []openapi3.SchemaRefs{s.AnyOf, s.OneOf} {
		for _, choice := range choices {
			_, isObject := v.(map[string]any)
			_, isList := v.([]any)
			if choice.Value.Type.Is("object") == isObject && choice.Value.Type.Is("array") == isList {
				list = append(append(list, choice.Value), chosen(choice.Value, v)...)
				break
			}
		}
	}
	return list
}

// blank returns the simplest value that a schema allows.
func blank(s *openapi3.Schema) any {
	switch {
	case s.Nullable:
		return nil
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.AllOf) > 0:
		return fill(s, map[string]any{})
	case len(s.AnyOf) > 0:
		return blank(s.AnyOf[0].Value)
	case len(s.OneOf) > 0:
		return blank(s.OneOf[0].Value)
	case s.Type.Is("object"):
		return fill(s, map[string]any{})
	case s.Type.Is("array"):
		return []any{}
	case s.Type.Is("boolean"):
		return false
	case s.Type.Is("integer"), s.Type.Is("number"):
		return float64(1)
	}
	return blankText(s)
}

func blankText(s *openapi3.Schema) string {
	switch s.Format {
	case "uri", "uri-template":
		return "https://github.example.com/"
	case "date-time":
		return "2026-03-01T12:00:00Z"
	}
	return strings.Repeat("x", int(max(1, s.MinLength)))
}
