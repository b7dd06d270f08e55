package formats_test

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts/realm/formats"
)

const orders = `syntax = "proto3";
package shop.v1;
option go_package = "example.com/shop";
option java_package = "com.shop";
message Order {
  reserved 9, 15 to 20;
  string id = 1;
  int32 count = 2;
  repeated Item items = 3;
  Status status = 4;
  oneof paid { string card = 5; string bank = 6; }
  map<string, int64> notes = 7;
  message Item { string name = 1; }
  enum Size { option allow_alias = true; SMALL = 0; BIG = 1; LARGE = 1; }
  optional string hint = 10;
  int64 total = 11 [jstype = JS_STRING];
}
enum Status { STATUS_NONE = 0; STATUS_OPEN = 1; }
service Shop {
  rpc Get (Order) returns (Order) { option idempotency_level = NO_SIDE_EFFECTS; }
  rpc Put (stream Order) returns (Order.Item);
}
`

const extended = `syntax = "proto2";
package a;
message M {
  required int32 r = 1;
  optional int32 o = 2 [default = 5];
  optional string s = 3 [default = "x"];
  optional E e = 4 [default = B];
  repeated int32 p = 5 [packed = true];
  extensions 100 to 199, 300 to max;
  optional group G = 6 { optional int32 x = 1; }
}
enum E { A = 0; B = 1; }
extend M { optional int32 ext = 100; optional string other = 101; }
message N { extend M { optional N n = 102; } option message_set_wire_format = false; }
`

const messages = `syntax = "proto3";
package a;
message M { Item item = 1; Kind kind = 2; message Item { string name = 1; } }
enum Kind { KIND_NONE = 0; }
`

const edition = `edition = "2023";
package e;
option features.field_presence = EXPLICIT;
message M {
  int32 a = 1;
  repeated int32 b = 2;
  M m = 3;
  string s = 4;
}
enum E { E_A = 0; E_B = 1; }
`

// In each row, want has a level for each of the rules file, wire_json and wire: b for breaking, d for dangerous or h
// for harmless. buf 1.75 reports the same changes as breaking.
func TestProtobufByAnotherProgram(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, base, old, new, want string }{
		{"go_package removed", orders, "option go_package = \"example.com/shop\";\n", ``, "bdd"},
		{"java option added", orders, `option java_package`,
			"option java_outer_classname = \"X\";\noption java_package", "bdd"},
		{"java_multiple_files true", orders, `option java_package`,
			"option java_multiple_files = true;\noption java_package", "bdd"},
		{"java_multiple_files false", orders, `option java_package`,
			"option java_multiple_files = false;\noption java_package", "hhh"},
		{"optimize_for speed said", orders, `option java_package`,
			"option optimize_for = SPEED;\noption java_package", "hhh"},
		{"optimize_for size", orders, `option java_package`,
			"option optimize_for = CODE_SIZE;\noption java_package", "bdd"},
		{"csharp namespace added", orders, `option java_package`,
			"option csharp_namespace = \"X\";\noption java_package", "bdd"},
		{"deprecated file", orders, `option java_package`,
			"option deprecated = true;\noption java_package", "hhh"},
		{"alias removed", orders, ` LARGE = 1;`, ``, "bbd"},
		{"first alias removed", orders, ` BIG = 1;`, ``, "bbd"},
		{"alias added", orders, ` LARGE = 1;`, ` LARGE = 1; HUGE = 1;`, "hhh"},
		{"alias order", orders, `BIG = 1; LARGE = 1;`, `LARGE = 1; BIG = 1;`, "hhh"},
		{"jstype", orders, `JS_STRING`, `JS_NUMBER`, "bdd"},
		{"ctype", orders, `string id = 1;`, `string id = 1 [ctype = CORD];`, "bdd"},
		{"usual ctype", orders, `string id = 1;`, `string id = 1 [ctype = STRING];`, "hhh"},
		{"idempotency", orders, `NO_SIDE_EFFECTS`, `IDEMPOTENT`, "bbb"},
		{"idempotency removed", orders, `option idempotency_level = NO_SIDE_EFFECTS;`, ``, "bbb"},
		{"deprecated rpc", orders, `option idempotency_level`,
			`option deprecated = true; option idempotency_level`, "hhh"},
		{"nested enum removed", orders, `enum Size { option allow_alias = true; SMALL = 0; BIG = 1; LARGE = 1; }`,
			``, "bdd"},
		{"oneof renamed", orders, `oneof paid`, `oneof paying`, "bbb"},
		{"oneof gets field", orders, `string bank = 6;`, `string bank = 6; string cash = 30;`, "hhh"},
		{"to message", orders, `int32 count = 2;`, `Item count = 2;`, "bbb"},
		{"enum to int", orders, `Status status = 4;`, `int32 status = 4;`, "bbb"},
		{"other enum with the same values", orders, `Status status = 4;`, `Size status = 4;`, "bbb"},
		{"string to bytes", orders, `string id = 1;`, `bytes id = 1;`, "bbd"},
		{"bytes to string", orders, `string id = 1;`, `bytes id = 1;`, "bbd"},
		{"int32 to bool", orders, `int32 count = 2;`, `bool count = 2;`, "bbd"},
		{"int64 to int32", orders, `int64 total = 11`, `int32 total = 11`, "bbd"},
		{"map key", orders, `map<string, int64>`, `map<int32, int64>`, "bbb"},
		{"map to repeated", orders, `map<string, int64> notes`, `repeated string notes`, "bbb"},
		{"reserved range split", orders, `15 to 20`, `15 to 17, 18 to 20`, "hhh"},
		{"rpc response", orders, `returns (Order.Item)`, `returns (Order)`, "bbb"},
		{"client stream off", orders, `stream Order`, `Order`, "bbb"},
		{"rpc moved to another service", orders, "  rpc Put (stream Order) returns (Order.Item);\n}",
			"}\nservice Other { rpc Put (stream Order) returns (Order.Item); }", "bdd"},
		{"field to next number", orders, `int32 count = 2;`, `int32 count = 12;`, "bbb"},
		{"syntax proto2 left out", extended, "syntax = \"proto2\";\n", ``, "hhh"},
		{"default number", extended, `[default = 5]`, `[default = 6]`, "bbb"},
		{"default removed", extended, ` [default = 5]`, ``, "bbb"},
		{"default string", extended, `"x"`, `"y"`, "bbb"},
		{"default enum", extended, `default = B`, `default = A`, "bbb"},
		{"default same in hex", extended, `default = 5`, `default = 0x5`, "hhh"},
		{"required removed", extended, `required int32 r = 1;`, `reserved 1; reserved "r";`, "bbb"},
		{"required to optional", extended, `required int32 r`, `optional int32 r`, "bbb"},
		{"required added", extended, `required int32 r = 1;`,
			`required int32 r = 1; required int32 q = 20;`, "bbb"},
		{"packed", extended, `[packed = true]`, `[packed = false]`, "hhh"},
		{"extension range cut", extended, `100 to 199`, `100 to 150`, "bdd"},
		{"extension range gone", extended, `, 300 to max`, ``, "bdd"},
		{"extension range wider", extended, `100 to 199`, `100 to 250`, "hhh"},
		{"extension removed", extended, ` optional string other = 101;`, ``, "bdd"},
		{"extension type", extended, `optional string other`, `optional int32 other`, "bbb"},
		{"nested extension removed", extended, `extend M { optional N n = 102; }`, ``, "bdd"},
		{"group field", extended, `optional int32 x = 1;`, ``, "bbb"},
		{"message set", extended, "message_set_wire_format = false; }\n",
			"message_set_wire_format = false; reserved 1; }\n", "hhh"},
		{"optional message", messages, `Item item`, `optional Item item`, "hhh"},
		{"optional enum", messages, `Kind kind`, `optional Kind kind`, "bdd"},
		{"presence of a message", "edition = \"2023\";\npackage a;\nmessage M { M m = 1; }\n", `package a;`,
			"package a;\noption features.field_presence = IMPLICIT;", "hhh"},
		{"feature presence", edition, `EXPLICIT`, `IMPLICIT`, "bdd"},
		{"feature of a field", edition, `int32 a = 1;`,
			`int32 a = 1 [features.field_presence = IMPLICIT];`, "bdd"},
		{"delimited", edition, `M m = 3;`, `M m = 3 [features.message_encoding = DELIMITED];`, "bbb"},
		{"closed enum", edition, `E { E_A`, `E { option features.enum_type = CLOSED; E_A`, "bdd"},
		{"utf8", edition, `string s = 4;`, `string s = 4 [features.utf8_validation = NONE];`, "bdd"},
		{"expanded", edition, `repeated int32 b = 2;`,
			`repeated int32 b = 2 [features.repeated_field_encoding = EXPANDED];`, "hhh"},
	} {
		if !strings.Contains(c.base, c.old) {
			t.Fatalf("%s: %q is not in the base", c.name, c.old)
		}
		before, err := formats.Read(formats.Protobuf, []byte(c.base))
		if err != nil {
			t.Fatal(err)
		}
		after, err := formats.Read(formats.Protobuf, []byte(strings.Replace(c.base, c.old, c.new, 1)))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := ""
		for _, rules := range []string{"file", "wire_json", "wire"} {
			level := "h"
			if list := formats.Changes(before, after, rules); len(list) > 0 {
				level = []string{"h", "d", "b"}[list[0].Level]
			}
			got += level
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
