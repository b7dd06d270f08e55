package formats_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts/realm/formats"
)

func TestHostileContractsAreRefused(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("message A { ", 3000) + strings.Repeat("}", 3000)
	for _, c := range []struct {
		name   string
		format formats.Format
		text   string
		want   string
	}{
		{"a file", formats.OpenAPI, `{"openapi":"3.1.0","paths":{"/a":{"$ref":"file:///etc/passwd"}}}`,
			"is not followed"},
		{"an address", formats.OpenAPI,
			`{"swagger":"2.0","paths":{},"definitions":{"a":{"$ref":"https://example.com/a"}}}`,
			"is not followed"},
		{"no description", formats.OpenAPI, `{"a":1}`, "openapi has to be"},
		{"a list", formats.OpenAPI, `[]`, "mapping"},
		{"a path twice", formats.OpenAPI, `{"openapi":"3.0.0","paths":{"/a/{b}":{},"/a/{c}":{}}}`, "twice"},
		{"deep", formats.Protobuf, deep, "deep"},
		{"no end", formats.Protobuf, `message A { string a = 1;`, "missing"},
		{"open comment", formats.Protobuf, `/* message`, "no end"},
		{"open quote", formats.Protobuf, `syntax = "proto3`, "no end"},
		{"no statement", formats.Protobuf, `hello`, "line 1"},
		{"no number", formats.Protobuf, `message A { string a = x; }`, "number"},
		{"no schema", formats.GraphQL, `type {`, "line 1"},
		{"a type twice", formats.GraphQL, `type A { a: Int } type A { a: Int }`, "twice"},
		{"deep lists", formats.GraphQL, `type A { a: ` + strings.Repeat("[", 500_000) + `Int }`, ""},
		{"words", formats.Protobuf, strings.Repeat("a ", 500_000), "words"},
	} {
		if _, err := formats.Read(c.format, []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// Each schema of the description refers 51 times to the next schema. The comparison ends in bounded time, and reports
// that the description is too large.
func TestReferencesThatDoubleAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"openapi":"3.0.0","paths":{"/a":{"get":{"responses":{"200":{"content":{"application/json":` +
		`{"schema":{"$ref":"#/components/schemas/s0"}}}}}}}},"components":{"schemas":{`)
	for i := range 60 {
		next := fmt.Sprintf(`{"$ref":"#/components/schemas/s%d"}`, i+1)
		fmt.Fprintf(&b, `"s%d":{"allOf":[%s%s]},`, i, strings.Repeat(next+",", 50), next)
	}
	b.WriteString(`"s60":{}`)
	b.WriteString(`}}}`)
	before, err := formats.Read(formats.OpenAPI, []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	after, err := formats.Read(formats.OpenAPI, []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	list := formats.Changes(before, after, "file")
	if len(list) != 1 || list[0].Rule != "too-large" {
		t.Errorf("%v, want that it is too large", list)
	}
}
