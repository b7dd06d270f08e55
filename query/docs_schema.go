package query

import (
	"encoding/json"
	"reflect"
	"strings"
)

// docsSchemas returns the JSON schemas of the answers of all documentation tools, by tool.
func docsSchemas() ([]byte, error) {
	all := map[string]any{}
	for tool, t := range map[string]reflect.Type{
		"find": reflect.TypeFor[Found](), "list-sources": reflect.TypeFor[SourceList](),
		"source-add":  reflect.TypeFor[SourceAdded](),
		"run-command": reflect.TypeFor[CommandOutput](), "learn-blz": reflect.TypeFor[Lesson](),
	} {
		all[tool] = schemaOf(t)
	}
	return json.MarshalIndent(all, "", " ")
}

// schemaOf returns the JSON schema of a type.
func schemaOf(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Struct:
		return objectSchema(t)
	}
	return map[string]any{"type": "string"}
}

func objectSchema(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "" || key == "-" {
			continue
		}
		p := schemaOf(f.Type)
		if about := f.Tag.Get("jsonschema"); about != "" {
			p["description"] = about
		}
		properties[key] = p
		if !strings.HasPrefix(options, "omit") {
			required = append(required, key)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}
