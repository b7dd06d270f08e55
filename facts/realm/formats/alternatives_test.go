package formats_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts/realm/formats"
)

const events = `{
"openapi": "3.0.3", "info": {"title": "events", "version": "1"},
"paths": {"/events": {"get": {"responses": {"200": {"description": "ok",
 "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Event"}}}}}}}},
"components": {"schemas": {
 "Event": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}},
  "oneOf": [{"type": "object", "properties": {"of": {"$ref": "#/components/schemas/User"}}},
   {"type": "array", "items": {"allOf": [{"$ref": "#/components/schemas/Event"}]}}]},
 "User": {"type": "object", "properties": {"name": {"type": "string"}}}
}}}`

func TestOpenAPIAlternatives(t *testing.T) {
	t.Parallel()
	test(t, formats.OpenAPI, events, []change{
		// JSON Schema Core 10.2.1: alternatives apply together with the other keywords of a schema.
		{"property beside alternatives removed", `"properties": {"id": {"type": "string"}}`, `"properties": {}`,
			formats.Breaking, "was removed"},
		{"property beside alternatives became optional", `"required": ["id"]`, `"required": []`,
			formats.Breaking, "'id' is not required any more"},
		// JSON Schema Core 8.2.3.1: a reference stands for its target. So an alternative changes with the target.
		{"what an equal alternative refers to changed", `"name": {"type": "string"}`, `"name": {"type": "integer"}`,
			formats.Breaking, "changed its type from string to integer"},
		{"nothing changed", `"title": "events"`, `"title": "e"`, formats.Harmless, ""},
	})
}

// Nested alternatives are compared in bounded time.
func TestAlternativesThatDoubleAreBounded(t *testing.T) {
	t.Parallel()
	text := func(several bool) string {
		var b strings.Builder
		b.WriteString(`{"openapi":"3.1.0","paths":{"/a":{"post":{"requestBody":{"content":{"application/json":` +
			`{"schema":{"$ref":"#/components/schemas/s0"}}}},"responses":{}}}},"components":{"schemas":{`)
		for i := range 200 {
			one := fmt.Sprintf(`{"properties":{"a":{"$ref":"#/components/schemas/s%d"}},"required":["a"`, i+1)
			if several {
				fmt.Fprintf(&b, `"s%d":{"oneOf":[%s,"b"]},%s,"c"]},%s,"d"]}]},`, i, one, one, one)
			} else {
				fmt.Fprintf(&b, `"s%d":%s]},`, i, one)
			}
		}
		b.WriteString(`"s200":{"type":"string"}}}}`)
		return b.String()
	}
	for _, became := range []bool{true, false} {
		if level, message := compared(t, formats.OpenAPI, text(!became), text(became)); level == formats.Harmless {
			t.Errorf("%q, want a change or that it is too large", message)
		}
	}
}

// The alternatives of a schema may refer back to the schema, as generators of descriptions write them. Changes of the
// schema and of an alternative are still found.
func TestAlternativesMadeOfTheirSchema(t *testing.T) {
	t.Parallel()
	var kinds, list []string
	for i := range 30 {
		list = append(list, fmt.Sprintf(`{"$ref":"#/components/schemas/k%d"}`, i))
		kinds = append(kinds, fmt.Sprintf(`"k%d":{"allOf":[{"$ref":"#/components/schemas/Pet"},{"type":"object",`+
			`"properties":{"p%d":{"type":"string"},"friend":{"$ref":"#/components/schemas/Pet"}}}]}`, i, i))
	}
	base := `{"openapi":"3.0.3","paths":{"/a":{"get":{"responses":{"200":{"description":"ok","content":` +
		`{"application/json":{"schema":{"$ref":"#/components/schemas/Pet"}}}}}}}},"components":{"schemas":{` +
		`"Pet":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"}},"oneOf":[` +
		strings.Join(list, ",") + `]},` + strings.Join(kinds, ",") + `}}}`
	test(t, formats.OpenAPI, base, []change{
		{"nothing", "", "", formats.Harmless, ""},
		{"a property of a kind", `"p17":{"type":"string"}`, `"p17":{"type":"integer"}`, formats.Breaking,
			"'p17' changed its type"},
		{"a property of all kinds", `"kind":{"type":"string"}`, `"kind":{"type":"integer"}`, formats.Breaking,
			"'kind' changed its type"},
		{"a kind", `{"$ref":"#/components/schemas/k3"},`, ``, formats.Harmless, ""},
	})
}
