package formats_test

import (
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
		// Core 10.2.1: alternatives apply beside the other keywords, not in their place.
		{"property beside alternatives removed", `"properties": {"id": {"type": "string"}}`, `"properties": {}`,
			formats.Breaking, "was removed"},
		{"property beside alternatives became optional", `"required": ["id"]`, `"required": []`,
			formats.Breaking, "'id' is not required any more"},
		// Core 8.2.3.1: a reference is what it refers to, also inside of an alternative that stays as it is.
		{"what an equal alternative refers to changed", `"name": {"type": "string"}`, `"name": {"type": "integer"}`,
			formats.Breaking, "changed its type from string to integer"},
		{"nothing changed", `"title": "events"`, `"title": "e"`, formats.Harmless, ""},
	})
}
