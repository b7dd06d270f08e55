package formats_test

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts/realm/formats"
)

// change is an edit of a contract, with its effect according to the specification of the format.
type change struct {
	name     string
	old, new string // text in the base, and its replacement
	level    formats.Level
	want     string // a part of the first message, "" for no message
}

// test makes each edit in the base, and checks the level and the text of the first change.
func test(t *testing.T, f formats.Format, base string, list []change) {
	t.Helper()
	before, err := formats.Read(f, []byte(base))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.old != "" && !strings.Contains(base, c.old) {
			t.Fatalf("%s: %q is not in the base", c.name, c.old)
		}
		after, err := formats.Read(f, []byte(strings.Replace(base, c.old, c.new, 1)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := formats.Changes(before, after, "file")
		level, text := formats.Harmless, ""
		if len(got) > 0 {
			level, text = got[0].Level, got[0].Text
		}
		if level != c.level || !strings.Contains(text, c.want) || c.want == "" && text != "" {
			t.Errorf("%s: %d %q, want %d %q", c.name, level, text, c.level, c.want)
		}
	}
}

const users = `{
"openapi": "3.0.3", "info": {"title": "users", "version": "1"},
"paths": {
 "/users/{id}": {
  "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
  "get": {
   "parameters": [
    {"name": "fields", "in": "query", "schema": {"type": "string", "enum": ["all", "few"]}},
    {"name": "X-Trace", "in": "header", "schema": {"type": "string", "maxLength": 64}}
   ],
   "responses": {
    "200": {"description": "ok", "headers": {"ETag": {"required": true, "schema": {"type": "string"}}},
     "content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}}},
    "404": {"description": "none"}
   }
  },
  "put": {
   "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewUser"}}}},
   "responses": {"204": {"description": "ok"}}
  },
  "delete": {"deprecated": true, "responses": {"204": {"description": "ok"}}}
 }
},
"components": {"schemas": {
 "User": {"type": "object", "required": ["id", "name"], "properties": {
  "id": {"type": "string", "readOnly": true}, "name": {"type": "string", "maxLength": 100}, "age": {"type": "integer"},
  "role": {"type": "string", "enum": ["admin", "user"]},
  "pets": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}},
 "Pet": {"type": "object", "properties": {"kind": {"type": "string"}, "owner": {"$ref": "#/components/schemas/User"}}},
 "NewUser": {"type": "object", "required": ["mail"], "properties": {
  "mail": {"type": "string"}, "nick": {"type": "string", "maxLength": 20},
  "plan": {"type": "string", "enum": ["free", "paid"]},
  "age": {"type": "integer", "minimum": 0}}}
}}}`

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	test(t, formats.OpenAPI, users, []change{
		// Numbers such as 4.8.2 are sections of the OpenAPI specification.
		// 4.8.2: info is metadata, so its texts are not part of the contract.
		{"title", `"title": "users"`, `"title": "people"`, formats.Harmless, ""},
		// 4.8.9: a path item without the method does not serve that method.
		{"operation removed", `"put": {`, `"patch": {`, formats.Breaking, "PUT /users/{id} was removed"},
		// 4.8.10: deprecated operations should not be used any more.
		{"deprecated operation removed", `"delete": {"deprecated"`, `"x-delete": {"deprecated"`,
			formats.Dangerous, "was removed"},
		// 4.8.8.1: paths whose templates differ only in names are identical.
		{"path parameter renamed", `/users/{id}": {
  "parameters": [{"name": "id"`, `/users/{user}": {
  "parameters": [{"name": "user"`, formats.Harmless, ""},
		{"path renamed", `"/users/{id}"`, `"/people/{id}"`, formats.Breaking, "GET /users/{id} was removed"},
		// 4.8.12: required says whether the parameter is mandatory; its default is false.
		{"parameter became required", `{"name": "fields", "in": "query",`,
			`{"name": "fields", "in": "query", "required": true,`,
			formats.Breaking, "became required"},
		{"required parameter added", `"parameters": [
    {`, `"parameters": [{"name": "v", "in": "query", "required": true, "schema": {}},
    {`, formats.Breaking, "required query parameter 'v' was added"},
		{"optional parameter added", `"parameters": [
    {`, `"parameters": [{"name": "v", "in": "query", "schema": {}},
    {`, formats.Harmless, ""},
		// A server may ignore parts that it does not describe, so requests still work.
		{"parameter removed", `{"name": "fields", "in": "query", "schema": {"type": "string", "enum": ["all", "few"]}},`, ``,
			formats.Dangerous, "was removed"},
		// JSON Schema validation 6.1.2: only listed values are valid.
		{"parameter's value removed", `["all", "few"]`, `["all"]`, formats.Breaking, `takes "few" no more`},
		{"parameter's value added", `["all", "few"]`, `["all", "few", "none"]`, formats.Harmless, ""},
		{"parameter's type", `"fields", "in": "query", "schema": {"type": "string", "enum": ["all", "few"]}`,
			`"fields", "in": "query", "schema": {"type": "integer"}`,
			formats.Breaking, "changed its type from string to integer"},
		// 6.3.1: maxLength limits valid values.
		{"header shorter", `"maxLength": 64`, `"maxLength": 32`, formats.Breaking, "maxLength: 32, not 64"},
		{"header longer", `"maxLength": 64`, `"maxLength": 128`, formats.Harmless, ""},
		// RFC 9110 5.1: header names are case-insensitive.
		{"header in lower case", `"X-Trace"`, `"x-trace"`, formats.Harmless, ""},
		// 4.8.13: a body is optional unless required is true.
		{"body became required", `"requestBody": {"content"`, `"requestBody": {"required": true, "content"`,
			formats.Breaking,
			"became required"},
		{"media type removed", `"requestBody": {"content": {"application/json"`, `"requestBody": {"content": {"text/xml"`,
			formats.Breaking, "media type 'application/json' was removed"},
		// JSON Schema validation 6.5.3: a required property must be present.
		{"property became required", `"required": ["mail"]`, `"required": ["mail", "nick"]`,
			formats.Breaking, "'nick' became required"},
		{"required property added", `"required": ["mail"], "properties": {`,
			`"required": ["mail", "zip"], "properties": {"zip": {"type": "string"},`,
			formats.Breaking, "'zip' was added, and is required"},
		// JSON Schema validation 6.5.3: a default does not replace a missing required property.
		{"required property with default added", `"required": ["mail"], "properties": {`,
			`"required": ["mail", "zip"], "properties": {"zip": {"type": "string", "default": ""},`,
			formats.Breaking, "'zip' was added, and is required"},
		{"property with default became required", `"required": ["mail"], "properties": {`,
			`"required": ["mail", "nick"], "properties": {"nick": {"type": "string", "maxLength": 20, "default": ""},`,
			formats.Breaking, "'nick' became required"},
		{"request property became optional", `"required": ["mail"]`, `"required": []`, formats.Harmless, ""},
		{"request property removed", `"mail": {"type": "string"}, "nick": {"type": "string", "maxLength": 20},`,
			`"mail": {"type": "string"},`, formats.Dangerous, "'nick' was removed"},
		{"request property and others forbidden", `"NewUser": {"type": "object",`,
			`"NewUser": {"additionalProperties": false, "type": "object",`, formats.Breaking, "takes no other properties"},
		{"request value removed", `["free", "paid"]`, `["paid"]`, formats.Breaking, `takes "free" no more`},
		{"request minimum raised", `"minimum": 0`, `"minimum": 18`, formats.Breaking, "minimum: 18, not 0"},
		{"request type widened", `"age": {"type": "integer", "minimum": 0}`, `"age": {"type": "number", "minimum": 0}`,
			formats.Harmless, ""},
		// Responses. Clients read these.
		{"response property removed", `"age": {"type": "integer"},
`, `
`, formats.Breaking, "'age' was removed"},
		{"response property became optional", `"required": ["id", "name"]`, `"required": ["id"]`, formats.Breaking,
			"'name' is not required any more"},
		{"response property became required", `"required": ["id", "name"]`, `"required": ["id", "name", "age"]`,
			formats.Harmless, ""},
		{"response property added", `"properties": {
  "id"`, `"properties": {"more": {"type": "string"},
  "id"`, formats.Harmless, ""},
		// In OpenAPI 3.0, nullable adds null to the type.
		{"response property became nullable", `"age": {"type": "integer"},
`, `"age": {"type": "integer", "nullable": true},
`, formats.Breaking, "changed its type from integer to integer or null"},
		{"response type widened", `"age": {"type": "integer"},
`, `"age": {"type": "number"},
`, formats.Breaking, "from integer to number"},
		{"response value added", `["admin", "user"]`, `["admin", "user", "guest"]`,
			formats.Breaking, `may be "guest" now`},
		{"response values not listed any more", `, "enum": ["admin", "user"]`, ``, formats.Breaking, "any value now"},
		{"response value removed", `["admin", "user"]`, `["user"]`, formats.Harmless, ""},
		{"nested response property removed", `{"kind": {"type": "string"}, "owner"`, `{"owner"`, formats.Breaking,
			"'pets[].kind' was removed"},
		{"response length", `"name": {"type": "string", "maxLength": 100}`, `"name": {"type": "string", "maxLength": 200}`,
			formats.Breaking, "maxLength"},
		// 4.8.16: expected responses are listed by their codes.
		{"success removed", `"200": {"description": "ok", "headers"`, `"206": {"description": "ok", "headers"`,
			formats.Breaking,
			"response 200 was removed"},
		{"failure removed", `,
    "404": {"description": "none"}`, ``, formats.Dangerous, "response 404 was removed"},
		{"failure added", `"404": {"description": "none"}`, `"404": {"description": "none"}, "410": {"description": "gone"}`,
			formats.Harmless, ""},
		{"required header removed", `"headers": {"ETag": {"required": true, "schema": {"type": "string"}}},`, ``,
			formats.Breaking, "header 'ETag' was removed"},
		// 4.8.30: a caller must satisfy all schemes of one alternative.
		{"security added", `"delete": {`, `"head": {"responses": {}}, "delete": {"security": [{"key": []}],`,
			formats.Breaking,
			"needs other credentials"},
		{"optional security added", `"delete": {`, `"delete": {"security": [{"key": []}, {}],`, formats.Harmless, ""},
		// A schema that moves into allOf means the same (JSON Schema 10.2.1.1).
		{"moved into allOf", `"Pet": {"type": "object", "properties": {"kind": {"type": "string"},`,
			`"Pet": {"type": "object", "allOf": [{"properties": {"kind": {"type": "string"}}}], "properties": {`,
			formats.Harmless, ""},
	})
}

const shop = `syntax = "proto3";
package shop.v1; // a comment
option go_package = "example.com/shop";
import "google/protobuf/timestamp.proto";

message Order {
  reserved 9, 15 to 20;
  reserved "gone";
  string id = 1;
  int32 count = 2;
  repeated Item items = 3;
  Status status = 4;
  oneof paid { string card = 5; string bank = 6; }
  map<string, int64> notes = 7;
  google.protobuf.Timestamp at = 8 [json_name = "when"];
  message Item { string name = 1; }
  optional string hint = 10;
}
enum Status { STATUS_NONE = 0; STATUS_OPEN = 1; STATUS_DONE = 2; }
service Shop {
  rpc Get (Order) returns (Order);
  rpc Watch (Order) returns (stream Order) { option deprecated = true; }
}
`

func TestProtobuf(t *testing.T) {
	t.Parallel()
	test(t, formats.Protobuf, shop, []change{
		{"comment", "// a comment", "/* another */", formats.Harmless, ""},
		{"space", "string id = 1;", "string  id=1 ;", formats.Harmless, ""},
		// Language guide, Updating a message type: old code skips new fields.
		{"field added", "string id = 1;", "string id = 1; string note = 30;", formats.Harmless, ""},
		{"message added", "enum Status {", "message New { int32 a = 1; } enum Status {", formats.Harmless, ""},
		{"rpc added", "service Shop {", "service Shop { rpc New (Order) returns (Order);", formats.Harmless, ""},
		{"value added", "STATUS_DONE = 2;", "STATUS_DONE = 2; STATUS_LOST = 3;", formats.Harmless, ""},
		{"fields in another order", "string id = 1;\n  int32 count = 2;", "int32 count = 2;\n  string id = 1;",
			formats.Harmless, ""},
		{"full name", "Status status = 4;", ".shop.v1.Status status = 4;", formats.Harmless, ""},
		{"deprecated", "int32 count = 2;", "int32 count = 2 [deprecated = true];", formats.Harmless, ""},
		// FIELD_NO_DELETE of buf.
		{"field removed", "int32 count = 2;", "", formats.Breaking, "field 'shop.v1.Order.count' (2) was removed"},
		{"field removed and reserved", "int32 count = 2;", "reserved 2; reserved \"count\";",
			formats.Breaking, "was removed"},
		// Encoding: the number identifies the field.
		{"field with another number", "int32 count = 2;", "int32 count = 22;", formats.Breaking, "(2) was removed"},
		// FIELD_SAME_NAME: JSON and generated code use names.
		{"field renamed", "int32 count = 2;", "int32 amount = 2;", formats.Breaking, "is called 'amount' now"},
		{"name in JSON", `"when"`, `"time"`, formats.Breaking, "is called 'time' in JSON now"},
		{"type", "int32 count = 2;", "string count = 2;", formats.Breaking, "changed its type from int32 to string"},
		{"wire-compatible type", "int32 count = 2;", "int64 count = 2;", formats.Breaking, "from int32 to int64"},
		{"zigzag", "int32 count = 2;", "sint32 count = 2;", formats.Breaking, "from int32 to sint32"},
		{"map's value", "map<string, int64>", "map<string, string>", formats.Breaking, "map<string, string>"},
		{"repeated", "int32 count = 2;", "repeated int32 count = 2;",
			formats.Breaking, "changed from singular to repeated"},
		{"presence", "optional string hint", "string hint", formats.Breaking, "changed from optional to singular"},
		// Language guide: moving fields into a oneof may lose data.
		{"out of oneof", "string bank = 6; }", "} string bank = 6;", formats.Breaking, "into or out of a oneof"},
		{"into oneof", "string id = 1;", "oneof x { string id = 1; }", formats.Breaking, "into or out of a oneof"},
		{"nested message removed", "message Item { string name = 1; }", "",
			formats.Breaking, "from shop.v1.Order.Item to Item"},
		{"field of nested removed", "{ string name = 1; }", "{ }", formats.Breaking, "Item.name"},
		{"enum removed", "enum Status {", "enum State {", formats.Breaking, "changed its type"},
		{"value removed", "STATUS_DONE = 2;", "", formats.Breaking, "value 'STATUS_DONE' (2)"},
		{"value renamed", "STATUS_DONE = 2;", "STATUS_OK = 2;", formats.Breaking, "is called 'STATUS_OK' now"},
		{"alias added", "enum Status { STATUS_NONE", "enum Status { option allow_alias = true; STATUS_NONE",
			formats.Harmless, ""},
		// Reserved numbers stay reserved: RESERVED_MESSAGE_NO_DELETE.
		{"reserved number freed", "reserved 9, 15 to 20;", "reserved 15 to 20;", formats.Breaking, "does not reserve 9"},
		{"reserved range widened", "15 to 20", "14 to max", formats.Harmless, ""},
		{"reserved name freed", `reserved "gone";`, "", formats.Breaking, "the name 'gone'"},
		// gRPC: the path of a call has the package, the service and the method.
		{"rpc removed", "rpc Get (Order) returns (Order);", "", formats.Breaking, "rpc 'shop.v1.Shop.Get' was removed"},
		{"request", "Get (Order)", "Get (Order.Item)", formats.Breaking, "takes shop.v1.Order.Item now"},
		{"streaming", "returns (stream Order)", "returns (Order)", formats.Breaking, "streams otherwise"},
		{"service removed", "service Shop {", "service Store {", formats.Breaking, "service 'shop.v1.Shop' was removed"},
		{"package", "package shop.v1;", "package shop.v2;", formats.Breaking, "the package changed"},
		{"go package", `"example.com/shop"`, `"example.com/store"`, formats.Breaking, "option go_package"},
		{"syntax", `syntax = "proto3"`, `edition = "2023"`, formats.Breaking, "the syntax changed"},
	})
}

func TestProtobufByWeakerRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, new, rules, want string }{
		{"a name is not on the wire", "int32 count = 2;", "int32 amount = 2;", "wire", "dangerous"},
		{"a name is in JSON", "int32 count = 2;", "int32 amount = 2;", "wire_json", "breaking"},
		{"varints", "int32 count = 2;", "int64 count = 2;", "wire", "dangerous"},
		{"a string in JSON", "int32 count = 2;", "int64 count = 2;", "wire_json", "breaking"},
		{"reserved", "int32 count = 2;", "reserved 2; reserved \"count\";", "wire_json", "dangerous"},
		{"only the number is reserved", "int32 count = 2;", "reserved 2;", "wire_json", "breaking"},
		{"not reserved", "int32 count = 2;", "", "wire", "breaking"},
		{"another encoding", "int32 count = 2;", "sint32 count = 2;", "wire", "breaking"},
		{"a package", `"example.com/shop"`, `"example.com/store"`, "wire", "dangerous"},
	} {
		before, err := formats.Read(formats.Protobuf, []byte(shop))
		if err != nil {
			t.Fatal(err)
		}
		after, err := formats.Read(formats.Protobuf, []byte(strings.Replace(shop, c.old, c.new, 1)))
		if err != nil {
			t.Fatal(err)
		}
		got := "harmless"
		if list := formats.Changes(before, after, c.rules); len(list) > 0 {
			got = []string{"", "dangerous", "breaking"}[list[0].Level]
		}
		if got != c.want {
			t.Errorf("%s by %s: %s, want %s", c.name, c.rules, got, c.want)
		}
	}
}

const blog = `"""A blog"""
schema { query: Root mutation: Change }
directive @cost(weight: Int = 1, by: [String!]) repeatable on FIELD_DEFINITION | OBJECT
interface Node { id: ID! }
type Root { posts(first: Int = 10, after: String, tag: [String!]!): [Post!]! find(by: Filter!): Entry }
type Change { add(text: String!): Post }
type Post implements Node { id: ID! title: String! text: String author: User # who wrote it
 tags: [String] }
type User { name: String }
union Entry = Post | User
enum Order { NEW OLD }
input Filter { text: String order: Order = NEW tags: [String!] }
scalar Date
extend type User { since: Date }
`

func TestGraphQL(t *testing.T) {
	t.Parallel()
	test(t, formats.GraphQL, blog, []change{
		{"description", `"""A blog"""`, `"""Our blog"""`, formats.Harmless, ""},
		{"comment", "# who wrote it", "", formats.Harmless, ""},
		{"type added", "scalar Date", "scalar Date scalar Time", formats.Harmless, ""},
		{"field added", "title: String!", "title: String! more: Int", formats.Harmless, ""},
		{"extension merged", "extend type User { since: Date }", "extend type User { since: Date, till: Date }",
			formats.Harmless, ""},
		// Names in capital letters are those of findBreakingChanges and findDangerousChanges of graphql-js.
		{"TYPE_REMOVED", "scalar Date", "scalar Time", formats.Breaking, "type 'Date' was removed"},
		{"TYPE_CHANGED_KIND", "type User {", "interface User {", formats.Breaking, "type 'User'"},
		{"FIELD_REMOVED", "text: String author", "author", formats.Breaking, "field 'Post.text' was removed"},
		{"FIELD_REMOVED in an extension", "extend type User { since: Date }", "",
			formats.Breaking, "'User.since' was removed"},
		// GraphQL specification 3.12: a client that expects null can read a value that is never null.
		{"never null", "text: String author", "text: String! author", formats.Harmless, ""},
		{"FIELD_CHANGED_KIND", "title: String!", "title: String", formats.Breaking, "from String! to String"},
		{"items never null", "tags: [String] }", "tags: [String!] }", formats.Harmless, ""},
		{"a list", "text: String author", "text: [String] author", formats.Breaking, "from String to [String]"},
		{"ARG_REMOVED", "after: String, ", "", formats.Breaking, "argument 'after' of 'Root.posts' was removed"},
		{"ARG_CHANGED_KIND", "after: String,", "after: String!,", formats.Breaking, "from String to String!"},
		// GraphQL specification 3.12: a nullable type accepts all values of the non-null type.
		{"argument may be null", "tag: [String!]!", "tag: [String!]", formats.Harmless, ""},
		{"argument's items may be null", "tag: [String!]!", "tag: [String]!", formats.Harmless, ""},
		{"REQUIRED_ARG_ADDED", "after: String,", "after: String, of: ID!,", formats.Breaking, "required argument 'of'"},
		{"OPTIONAL_ARG_ADDED", "after: String,", "after: String, of: ID! = 1,", formats.Dangerous, "argument 'of'"},
		{"ARG_DEFAULT_VALUE_CHANGE", "first: Int = 10", "first: Int = 20", formats.Dangerous, "another default"},
		{"REQUIRED_INPUT_FIELD_ADDED", "input Filter {", "input Filter { of: ID!",
			formats.Breaking, "required input field"},
		{"OPTIONAL_INPUT_FIELD_ADDED", "input Filter {", "input Filter { of: ID", formats.Dangerous, "input field"},
		{"input FIELD_REMOVED", "order: Order = NEW", "", formats.Breaking, "input field 'Filter.order' was removed"},
		{"input became required", "input Filter { text: String", "input Filter { text: String!",
			formats.Breaking, "from String to String!"},
		{"VALUE_REMOVED_FROM_ENUM", "{ NEW OLD }", "{ NEW }", formats.Breaking, "value 'OLD'"},
		{"VALUE_ADDED_TO_ENUM", "{ NEW OLD }", "{ NEW OLD BEST }", formats.Dangerous, "value 'BEST'"},
		{"TYPE_REMOVED_FROM_UNION", "= Post | User", "= Post", formats.Breaking, "type 'User' of union"},
		{"TYPE_ADDED_TO_UNION", "= Post | User", "= Post | User | Change", formats.Dangerous, "type 'Change' of union"},
		{"IMPLEMENTED_INTERFACE_REMOVED", "type Post implements Node", "type Post",
			formats.Breaking, "implements 'Node' no more"},
		{"IMPLEMENTED_INTERFACE_ADDED", "type User {", "type User implements Node { id: ID!",
			formats.Dangerous, "implements 'Node' now"},
		{"DIRECTIVE_REMOVED", "directive @cost", "directive @price", formats.Breaking, "directive '@cost' was removed"},
		{"DIRECTIVE_ARG_REMOVED", ", by: [String!]", "", formats.Breaking, "argument 'by' of '@cost'"},
		{"REQUIRED_DIRECTIVE_ARG_ADDED", "weight: Int = 1,", "weight: Int = 1, of: ID!,",
			formats.Breaking, "required argument 'of'"},
		{"DIRECTIVE_REPEATABLE_REMOVED", "repeatable on", "on", formats.Breaking, "repeated"},
		{"DIRECTIVE_LOCATION_REMOVED", "FIELD_DEFINITION | OBJECT", "FIELD_DEFINITION", formats.Breaking, "OBJECT"},
		{"root", "query: Root mutation", "query: Change mutation", formats.Breaking, "query is 'Root' no more"},
	})
}
