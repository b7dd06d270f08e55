//go:build !job

package formats

import (
	"strings"
	"testing"
)

// A file that protoc refuses is an error. If only the invalid field were left out, changes of it would go unnoticed.
func TestInvalidFieldsOfProtobuf(t *testing.T) {
	t.Parallel()
	for members, want := range map[string]string{
		"string a = 1; reserved 2; message N { string a = 1; } oneof o { int32 b = 3; } extensions 100 to max;": "",
		"string a = 1; string b = 1;":                            "field 'M.b' has the number 1 of field 'a'",
		"string a = 1; oneof o { int32 a = 2; }":                 "message 'M' has several fields 'a'",
		"string a = 1; map<string, string> a = 2;":               "message 'M' has several fields 'a'",
		"reserved 5 to 9; string a = 7;":                         "field 'M.a' has the reserved number 7",
		"string a = 7; reserved 9, 5 to 7;":                      "field 'M.a' has the reserved number 7",
		`reserved "a", "b"; string b = 7;`:                       "field 'M.b' has a reserved name",
		"string a = 0;":                                          "field 'M.a' cannot have the number 0",
		"string a = 19500;":                                      "field 'M.a' cannot have the number 19500",
		"string a = 536870912;":                                  "field 'M.a' cannot have the number 536870912",
		"message N { reserved 1 to max; string a = 536870911; }": "field 'M.N.a' has the reserved number 536870911",
	} {
		_, err := Read(Protobuf, []byte("syntax = \"proto3\";\nmessage M {"+members+"}"))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", members, err, want)
		}
	}
}

// A reference to a part that is not there is an error, except in examples and extensions.
func TestMissingPartsOfOpenAPI(t *testing.T) {
	t.Parallel()
	const head = `{"openapi":"3.1.0","paths":{"/a/{id}":{"get":{"responses":{"200":{"description":""}}}}},`
	for rest, want := range map[string]string{
		`"components":{"schemas":{"A":{"$ref":"#/components/schemas/B"},"B":{}}}}`:               "",
		`"components":{"schemas":{"A":{"$ref":"#/components/schemas/B"}}}}`:                      `"#/components/schemas/B" means nothing`,
		`"components":{"schemas":{"A":{"items":[{"$ref":"#/paths/~1a~1%7Bid%7D/get"}]}}}}`:       "",
		`"components":{"schemas":{"A":{"example":{"$ref":"#/x"},"x-a":{"$ref":"#/x"}}}}}`:        "",
		`"components":{"schemas":{"A":{"properties":{"$ref":{"type":"string"}}}}}}`:              "",
		`"components":{"schemas":{"A":{"$ref":"b.yaml#/B"}}}}`:                                   "bundle the files into one",
		`"components":{"responses":{"default":{"$ref":"#/components/responses/None"}},"x-a":1}}`: `None" means nothing`,
	} {
		_, err := Read(OpenAPI, []byte(head+rest))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", rest, err, want)
		}
	}
}
