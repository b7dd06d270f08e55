package formats_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts/realm/formats"
)

// described returns an OpenAPI description with one operation. what says what the text is: the schema of the request,
// the schema of the response, a parameter, or the whole operation.
func described(what, text string) string {
	operation := `"responses": {"200": {"description": "ok"}}`
	switch what {
	case "request":
		operation += `, "requestBody": {"content": {"application/json": {"schema": ` + text + `}}}`
	case "response":
		operation = `"responses": {"200": {"description": "ok",
 "content": {"application/json": {"schema": ` + text + `}}}}`
	case "parameter":
		operation += `, "parameters": [` + text + `]`
	case "operation":
		operation = text
	}
	return fmt.Sprintf(`{"openapi": "3.1.0", "info": {"title": "a", "version": "1"},
"paths": {"/a": {"post": {%s}}}}`, operation)
}

// A change is harmless if a request allows more values, or a response allows fewer values. The levels were compared
// with those of oasdiff 1.11.7. Where the levels differ, oasdiff ignores the keyword, or does not see that both schemas
// mean the same.
func TestOpenAPISchemas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, before, after string
		level               formats.Level
	}{
		{"request: string to oneOf string,int",
			`{"type": "string"}`,
			`{"oneOf": [{"type": "string"}, {"type": "integer"}]}`, formats.Harmless},
		{"request: string to oneOf int,bool",
			`{"type": "string"}`,
			`{"oneOf": [{"type": "integer"}, {"type": "boolean"}]}`, formats.Breaking},
		{"response: string to oneOf int,bool",
			`{"type": "string"}`,
			`{"oneOf": [{"type": "integer"}, {"type": "boolean"}]}`, formats.Breaking},
		{"response: string to oneOf string,int",
			`{"type": "string"}`,
			`{"oneOf": [{"type": "string"}, {"type": "integer"}]}`, formats.Breaking},
		{"request: oneOf to string",
			`{"oneOf": [{"type": "string"}, {"type": "integer"}]}`,
			`{"type": "string"}`, formats.Breaking},
		{"response: oneOf to string",
			`{"oneOf": [{"type": "string"}, {"type": "integer"}]}`,
			`{"type": "string"}`, formats.Harmless},
		{"response: oneOf to bool",
			`{"oneOf": [{"type": "string"}, {"type": "integer"}]}`,
			`{"type": "boolean"}`, formats.Breaking},
		{"response: object gets oneOf, loses property",
			`{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}`,
			`{"type": "object", "properties": {"a": {"type": "string"}}, "oneOf": [{"type": "object",
 "properties": {"c": {"type": "string"}}}, {"type": "object",
 "properties": {"d": {"type": "string"}}}]}`, formats.Breaking},
		{"request: object gets oneOf, type beside changed",
			`{"type": "object", "properties": {"a": {"type": "string"}}}`,
			`{"type": "object", "properties": {"a": {"type": "integer"}}, "oneOf": [{"type": "object",
 "properties": {"c": {"type": "string"}}}, {"type": "object",
 "properties": {"d": {"type": "string"}}}]}`, formats.Breaking},
		{"request: object gets oneOf of required",
			`{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}`,
			`{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
 "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}`, formats.Breaking},
		{"request: enum beside gets tighter with oneOf",
			`{"type": "string", "enum": ["a", "b"]}`,
			`{"type": "string", "enum": ["a"], "anyOf": [{"maxLength": 3}, {"minLength": 1}]}`, formats.Breaking},
		{"request: maxLength beside with oneOf",
			`{"type": "string", "maxLength": 9}`,
			`{"type": "string", "maxLength": 5, "anyOf": [{}, {"pattern": "a"}]}`, formats.Breaking},
		{"response: enum beside alternatives both",
			`{"type": "string", "maxLength": 5, "anyOf": [{"pattern": "a"}, {"pattern": "b"}]}`,
			`{"type": "string", "maxLength": 9, "anyOf": [{"pattern": "a"}, {"pattern": "b"}]}`, formats.Breaking},
		{"request: type beside alternatives both",
			`{"type": "string", "anyOf": [{"pattern": "a"}, {"pattern": "b"}]}`,
			`{"type": "integer", "anyOf": [{"pattern": "a"}, {"pattern": "b"}]}`, formats.Breaking},
		{"request: type moved into alternatives",
			`{"type": "object", "oneOf": [{"type": "object", "properties": {"a": {"type": "string"}}},
 {"type": "object", "properties": {"b": {"type": "string"}}}]}`,
			`{"oneOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "object",
 "properties": {"b": {"type": "string"}}}]}`, formats.Harmless},
		{"response: property moved into alternatives",
			`{"type": "object", "properties": {"a": {"type": "string"}}, "oneOf": [{"type": "object",
 "properties": {"x": {"type": "string"}}}, {"type": "object", "properties": {"y": {"type": "string"}}}]}`,
			`{"oneOf": [{"type": "object", "properties": {"a": {"type": "string"}, "x": {"type": "string"}}},
 {"type": "object", "properties": {"a": {"type": "string"}, "y": {"type": "string"}}}]}`, formats.Harmless},
		{"request: alternative lost",
			`{"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}]}`,
			`{"oneOf": [{"type": "string"}, {"type": "integer"}]}`, formats.Breaking},
		{"response: alternative added",
			`{"oneOf": [{"type": "string"}, {"type": "integer"}]}`,
			`{"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}]}`, formats.Breaking},
		{"request: alternative added",
			`{"oneOf": [{"type": "string"}, {"type": "integer"}]}`,
			`{"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}]}`, formats.Harmless},
		{"response: alternative lost",
			`{"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}]}`,
			`{"oneOf": [{"type": "string"}, {"type": "integer"}]}`, formats.Harmless},
		{"request: one alternative is none",
			`{"oneOf": [{"type": "string"}]}`,
			`{"type": "string"}`, formats.Harmless},
		{"request: alternative's property required",
			`{"oneOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "object",
 "properties": {"b": {"type": "string"}}}]}`,
			`{"oneOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
 {"type": "object", "properties": {"b": {"type": "string"}}}]}`, formats.Breaking},
		{"request: allOf same property twice, first tightened",
			`{"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "object",
 "properties": {"a": {"pattern": "x"}}}]}`,
			`{"allOf": [{"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}}},
 {"type": "object", "properties": {"a": {"pattern": "x"}}}]}`, formats.Breaking},
		{"response: allOf part enum",
			`{"allOf": [{"type": "string", "enum": ["a"]}, {"type": "string"}]}`,
			`{"allOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "string"}]}`, formats.Breaking},
		{"request: allOf limit tightest",
			`{"allOf": [{"type": "string", "maxLength": 5}, {"maxLength": 9}]}`,
			`{"allOf": [{"type": "string", "maxLength": 3}, {"maxLength": 9}]}`, formats.Breaking},
		{"request: exclusive 3.0",
			`{"type": "number", "minimum": 0}`,
			`{"type": "number", "minimum": 0, "exclusiveMinimum": true}`, formats.Breaking},
		{"response: exclusive dropped 3.0",
			`{"type": "number", "maximum": 9, "exclusiveMaximum": true}`,
			`{"type": "number", "maximum": 9}`, formats.Breaking},
		{"request: exclusive number 3.1",
			`{"type": "number", "maximum": 9}`,
			`{"type": "number", "exclusiveMaximum": 9}`, formats.Breaking},
		{"request: exclusive to inclusive 3.1",
			`{"type": "number", "exclusiveMaximum": 9}`,
			`{"type": "number", "maximum": 9}`, formats.Harmless},
		{"request: minLength 0",
			`{"type": "string"}`,
			`{"type": "string", "minLength": 0}`, formats.Harmless},
		{"request: multipleOf added",
			`{"type": "integer"}`,
			`{"type": "integer", "multipleOf": 5}`, formats.Breaking},
		{"request: multipleOf 10 to 5",
			`{"type": "integer", "multipleOf": 10}`,
			`{"type": "integer", "multipleOf": 5}`, formats.Harmless},
		{"request: multipleOf 5 to 10",
			`{"type": "integer", "multipleOf": 5}`,
			`{"type": "integer", "multipleOf": 10}`, formats.Breaking},
		{"response: uniqueItems lost",
			`{"type": "array", "items": {"type": "string"}, "uniqueItems": true}`,
			`{"type": "array", "items": {"type": "string"}}`, formats.Breaking},
		{"request: format with nullable",
			`{"type": "string", "nullable": true}`,
			`{"type": "string", "format": "uuid"}`, formats.Breaking},
		{"response: format int32 to int64 with nullable lost",
			`{"type": "integer", "format": "int32", "nullable": true}`,
			`{"type": "integer", "format": "int64"}`, formats.Breaking},
		{"request: map forbidden",
			`{"type": "object", "additionalProperties": {"type": "string"}}`,
			`{"type": "object", "additionalProperties": false}`, formats.Breaking},
		{"response: map value any",
			`{"type": "object", "additionalProperties": {"type": "string"}}`,
			`{"type": "object", "additionalProperties": true}`, formats.Breaking},
		{"response: map value",
			`{"type": "object", "additionalProperties": {"type": "string"}}`,
			`{"type": "object", "additionalProperties": {"type": "integer"}}`, formats.Breaking},
		{"request: map narrowed",
			`{"type": "object", "additionalProperties": true}`,
			`{"type": "object", "additionalProperties": {"type": "string"}}`, formats.Breaking},
		{"response: new property beside map",
			`{"type": "object", "additionalProperties": {"type": "integer"}}`,
			`{"type": "object", "properties": {"x": {"type": "string"}},
 "additionalProperties": {"type": "integer"}}`, formats.Breaking},
		{"request: readOnly required became writable",
			`{"type": "object", "properties": {"id": {"type": "string", "readOnly": true},
 "a": {"type": "string"}}, "required": ["id"]}`,
			`{"type": "object", "properties": {"id": {"type": "string"}, "a": {"type": "string"}},
 "required": ["id"]}`, formats.Breaking},
		{"response: required undescribed dropped",
			`{"type": "object", "required": ["a"]}`,
			`{"type": "object"}`, formats.Breaking},
		{"request: required undescribed added",
			`{"type": "object"}`,
			`{"type": "object", "required": ["a"]}`, formats.Breaking},
		{"response: became writeOnly",
			`{"type": "object", "properties": {"a": {"type": "string"}}}`,
			`{"type": "object", "properties": {"a": {"type": "string", "writeOnly": true}}}`, formats.Breaking},
		{"response: items lost",
			`{"type": "array", "items": {"type": "string"}}`,
			`{"type": "array", "items": {}}`, formats.Breaking},
		{"request: not added",
			`{"type": "string"}`,
			`{"type": "string", "not": {"enum": ["x"]}}`, formats.Dangerous},
		{"request: property false 3.1",
			`{"type": "object", "properties": {"a": {"type": "string"}}}`,
			`{"type": "object", "properties": {"a": false}}`, formats.Breaking},
		{"request: dependentRequired 3.1",
			`{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}`,
			`{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
 "dependentRequired": {"a": ["b"]}}`, formats.Dangerous},
		{"request: nested array item required",
			`{"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}}`,
			`{"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}},
 "required": ["a"]}}`, formats.Breaking},
		{"response: array item property lost",
			`{"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}}`,
			`{"type": "array", "items": {"type": "object", "properties": {}}}`, formats.Breaking},
		{"request: const changed 3.1", `{"const": "a"}`, `{"const": "b"}`, formats.Breaking},
		{"request: type list narrowed 3.1",
			`{"type": ["string", "integer"]}`,
			`{"type": ["string"]}`, formats.Breaking},
		{"response: type list widened 3.1",
			`{"type": ["string"]}`,
			`{"type": ["string", "null"]}`, formats.Breaking},
		{"parameter: explode",
			`{"name": "x", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}`,
			`{"name": "x", "in": "query", "schema": {"type": "array", "items": {"type": "string"}},
 "explode": false}`, formats.Breaking},
		{"parameter: explode of a string",
			`{"name": "x", "in": "query", "schema": {"type": "string"}}`,
			`{"name": "x", "in": "query", "schema": {"type": "string"}, "explode": false}`, formats.Harmless},
		{"parameter: style",
			`{"name": "x", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}`,
			`{"name": "x", "in": "query", "schema": {"type": "array", "items": {"type": "string"}},
 "style": "spaceDelimited", "explode": false}`, formats.Breaking},
		{"parameter: style said",
			`{"name": "x", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}`,
			`{"name": "x", "in": "query", "schema": {"type": "array", "items": {"type": "string"}},
 "style": "form", "explode": true}`, formats.Harmless},
		{"parameter: default",
			`{"name": "x", "in": "query", "schema": {"type": "string", "default": "a"}}`,
			`{"name": "x", "in": "query", "schema": {"type": "string", "default": "b"}}`, formats.Dangerous},
		{"parameter: moved to header",
			`{"name": "x", "in": "query", "schema": {"type": "string"}}`,
			`{"name": "x", "in": "header", "schema": {"type": "string"}}`, formats.Dangerous},
		{"parameter: moved and required",
			`{"name": "x", "in": "query", "schema": {"type": "string"}, "required": true}`,
			`{"name": "x", "in": "header", "schema": {"type": "string"}, "required": true}`, formats.Breaking},
		{"parameter: items enum",
			`{"name": "x", "in": "query", "schema": {"type": "array", "items": {"type": "string", "enum": ["a",
 "b"]}}}`,
			`{"name": "x", "in": "query", "schema": {"type": "array", "items": {"type": "string",
 "enum": ["a"]}}}`, formats.Breaking},
		{"parameter: pattern",
			`{"name": "x", "in": "query", "schema": {"type": "string"}}`,
			`{"name": "x", "in": "query", "schema": {"type": "string", "pattern": "^a"}}`, formats.Breaking},
	} {
		what, _, _ := strings.Cut(c.name, ":")
		got, text := compared(t, formats.OpenAPI, described(what, c.before), described(what, c.after))
		if got != c.level {
			t.Errorf("%s: %d %q, want %d", c.name, got, text, c.level)
		}
	}
}

// compared returns the worst change between two texts.
func compared(t *testing.T, f formats.Format, before, after string) (formats.Level, string) {
	t.Helper()
	was, err := formats.Read(f, []byte(before))
	if err != nil {
		t.Fatalf("%v: %s", err, before)
	}
	is, err := formats.Read(f, []byte(after))
	if err != nil {
		t.Fatalf("%v: %s", err, after)
	}
	if list := formats.Changes(was, is, "file"); len(list) > 0 {
		return list[0].Level, list[0].Text
	}
	return formats.Harmless, ""
}

const webhooks = `{"openapi": "3.1.0", "info": {"title": "a", "version": "1"},
"servers": [{"url": "https://a.example/v1"}, {"url": "https://b.example/v1"}],
"security": [{"key": []}],
"paths": {"/a": {"post": {
 "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Name"}}}},
 "responses": {
  "200": {"description": "ok", "headers": {"ETag": {"required": true, "schema": {"type": "string"}}},
   "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}},
  "400": {"description": "bad", "content": {"application/json": {"schema": {"type": "string"}}}}},
 "callbacks": {"done": {"{$request.body#/url}": {"post": {
  "requestBody": {"content": {"application/json": {"schema": {"type": "object",
 "properties": {"at": {"type": "string"}}}}}},
  "responses": {"200": {"description": "ok"}}}}}}}}},
"webhooks": {"sold": {"post": {
 "requestBody": {"content": {"application/json": {"schema": {"type": "object",
 "properties": {"id": {"type": "string"}}}}}},
 "responses": {"200": {"description": "ok"}}}}},
"components": {
 "schemas": {"Name": {"type": "string"},
  "Node": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"},
   "up": {"allOf": [{"$ref": "#/components/schemas/Node"}], "nullable": true}, "name": {"type": "string"}}}},
 "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}}`

func TestOpenAPIBesideSchemas(t *testing.T) {
	t.Parallel()
	test(t, formats.OpenAPI, webhooks, []change{
		{"nothing", `"title": "a"`, `"title": "b"`, formats.Harmless, ""},
		// 3.1, 4.8.23: schemas use JSON Schema 2020-12. In this draft, keywords beside $ref count.
		{"beside a reference", `{"schema": {"$ref": "#/components/schemas/Name"}}`,
			`{"schema": {"$ref": "#/components/schemas/Name",
 "maxLength": 5}}`, formats.Breaking, "maxLength: 5, not none"},
		{"what refers to itself may be null", `{"next": {"$ref": "#/components/schemas/Node"}`,
			`{"next": {"oneOf": [{"$ref": "#/components/schemas/Node"}, {"type": "null"}]}`,
			formats.Breaking, "'next' may be one of several now"},
		{"property of what refers to itself", `"name": {"type": "string"}`, `"name": {"type": "integer"}`,
			formats.Breaking, "'name' changed its type from string to integer"},
		// 4.8.16.2: a range of codes stands for each code in it.
		{"a code became a range", `"200": {"description": "ok", "headers"`, `"2XX": {"description": "ok", "headers"`,
			formats.Harmless, ""},
		{"a code became a range with another schema", `"400": {"description": "bad", "content": {"application/json":`,
			`"4XX": {"description": "bad", "content": {"application/json": {"schema": {"type": "integer"}},
 "text/plain":`,
			formats.Breaking, "response 400 changed its type"},
		{"a code became the default", `"400": {"description": "bad"`, `"default": {"description": "bad"`,
			formats.Dangerous, "response 400 was removed"},
		{"a media type became a range", `{"description": "bad", "content": {"application/json"`,
			`{"description": "bad", "content": {"application/*"`, formats.Harmless, ""},
		// RFC 9110 5.1: header names are case-insensitive.
		{"header in lower case", `"ETag"`, `"etag"`, formats.Harmless, ""},
		// 4.8.18: the owner sends the requests of a callback, and consumers read them.
		{"callback's property removed", `"properties": {"at": {"type": "string"}}`, `"properties": {}`,
			formats.Breaking, "callback 'done': POST {$request.body#/url}: request body: 'at' was removed"},
		{"callback's property added", `"properties": {"at"`, `"required": ["to"], "properties": {"to": {}, "at"`,
			formats.Harmless, ""},
		{"callback removed", `"callbacks": {"done"`, `"callbacks": {"other"`, formats.Breaking, "callback 'done'"},
		{"webhook's type", `"properties": {"id": {"type": "string"}}`, `"properties": {"id": {"type": "integer"}}`,
			formats.Breaking, "webhook: POST sold: request body: 'id' changed its type"},
		{"webhook removed", `"sold"`, `"bought"`, formats.Breaking, "webhook: POST sold was removed"},
		// 4.8.5: a path is appended to the address of a server.
		{"path of all servers", `[{"url": "https://a.example/v1"}, {"url": "https://b.example/v1"}]`,
			`[{"url": "https://a.example/v2"}]`, formats.Breaking, "no other one has its path"},
		{"a server", `, {"url": "https://b.example/v1"}`, ``, formats.Dangerous, "server 'https://b.example/v1' was removed"},
		// 4.8.27: an API key is sent under its name and in its place.
		{"key in a query", `"in": "header", "name": "X-Key"`, `"in": "query", "name": "X-Key"`,
			formats.Breaking, "credentials 'key' have another in: 'query', not 'header'"},
		{"key's name", `"name": "X-Key"`, `"name": "Key"`, formats.Breaking, "have another name"},
	})
}

func TestSwagger(t *testing.T) {
	t.Parallel()
	test(t, formats.OpenAPI, `{"swagger": "2.0", "info": {"title": "a", "version": "1"}, "host": "a.example",
"basePath": "/v1", "paths": {"/a": {"get": {"parameters": [{"name": "x", "in": "query", "type": "array",
 "items": {"type": "string"}}], "responses": {"200": {"description": "",
 "schema": {"type": "string"}}}}}}}`, []change{
		{"base path", `"/v1"`, `"/v2"`, formats.Breaking, "server '//a.example/v1' was removed"},
		{"host", `"a.example"`, `"b.example"`, formats.Dangerous, "server '//a.example/v1' was removed"},
		{"collection", `"type": "array",`, `"type": "array", "collectionFormat": "multi",`,
			formats.Breaking, "has the style multi now, not csv"},
		{"same collection", `"type": "array",`, `"type": "array", "collectionFormat": "csv",`, formats.Harmless, ""},
	})
}
