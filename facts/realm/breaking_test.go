package realm

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestBreaks(t *testing.T) {
	t.Parallel()
	object := func(properties, required string) string {
		return `{"type":"object","properties":{` + properties + `},"required":[` + required + `]}`
	}
	for _, c := range []struct{ name, before, after, want string }{
		{"equal", object(`"a":{"type":"string"}`, ""), object(`"a":{"type":"string"}`, ""), ""},
		{"added", object(`"a":{}`, ""), object(`"a":{},"b":{}`, `"b"`), ""},
		{"removed", object(`"a":{},"b":{}`, ""), object(`"a":{}`, ""), "'b' was removed"},
		{"renamed", object(`"a":{}`, ""), object(`"b":{}`, ""), "'a' was removed"},
		{"nested", object(`"a":`+object(`"b":{}`, ""), ""), object(`"a":`+object("", ""), ""), "'a.b' was removed"},
		{"type", object(`"a":{"type":"string"}`, ""), object(`"a":{"type":"integer"}`, ""),
			"'a' changed its type from string to integer"},
		{"widened number", object(`"a":{"type":"integer"}`, ""), object(`"a":{"type":"number"}`, ""), ""},
		{"widened null", object(`"a":{"type":"string"}`, ""), object(`"a":{"type":["string","null"]}`, ""), ""},
		{"narrowed", object(`"a":{"type":["string","null"]}`, ""), object(`"a":{"type":"string"}`, ""), ""},
		{"other union", object(`"a":{"type":["string","null"]}`, ""), object(`"a":{"type":["string","object"]}`, ""),
			"'a' changed its type from string or null to string or object"},
		{"optional", object(`"a":{}`, `"a"`), object(`"a":{}`, ""), "'a' is not required any more"},
		{"required", object(`"a":{}`, ""), object(`"a":{}`, `"a"`), ""},
		{"enum value removed", object(`"a":{"enum":["x","y"]}`, ""), object(`"a":{"enum":["x"]}`, ""),
			`'a' may not be "y" any more`},
		{"enum value added", object(`"a":{"enum":["x"]}`, ""), object(`"a":{"enum":["x","y"]}`, ""), ""},
		{"enum opened", object(`"a":{"enum":["x"]}`, ""), object(`"a":{"type":"string"}`, ""), ""},
		{"const", object(`"a":{"const":1}`, ""), object(`"a":{"const":2}`, ""), `'a' may not be 1 any more`},
		{"items", object(`"a":{"items":{"type":"string"}}`, ""), object(`"a":{"items":{"type":"number"}}`, ""),
			"'a.[]' changed its type from string to number"},
		{"items' property", object(`"a":{"items":`+object(`"b":{}`, "")+`}`, ""),
			object(`"a":{"items":`+object("", "")+`}`, ""), "'a.[].b' was removed"},
		{"reference", `{"$ref":"#/$defs/x","$defs":{"x":` + object(`"a":{}`, "") + `}}`,
			`{"$ref":"#/$defs/y","$defs":{"y":` + object("", "") + `}}`, "'a' was removed"},
		{"written out", `{"$ref":"#/$defs/x","$defs":{"x":` + object(`"a":{}`, "") + `}}`, object(`"a":{}`, ""), ""},
		{"recursive", `{"$ref":"#/$defs/x","$defs":{"x":` + object(`"a":{"$ref":"#/$defs/x"},"b":{}`, "") + `}}`,
			`{"$ref":"#/$defs/x","$defs":{"x":` + object(`"a":{"$ref":"#/$defs/x"}`, "") + `}}`, "'b' was removed"},
		{"moved into allOf", object(`"a":{}`, ""), `{"allOf":[` + object(`"a":{}`, "") + `]}`, ""},
		{"moved out of allOf", `{"allOf":[` + object(`"a":{}`, "") + `]}`, object(`"a":{}`, ""), ""},
		{"alternative removed", `{"oneOf":[{"type":"string"},{"type":"null"}]}`, `{"oneOf":[{"type":"string"}]}`,
			"the schema lost alternatives: 1"},
		{"alternative added", `{"anyOf":[{"type":"string"}]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, ""},
		{"constraints", object(`"a":{"maxLength":5}`, ""),
			object(`"a":{"maxLength":3,"pattern":"x","description":"y"}`, ""), ""},
		{"nothing allowed", object(`"a":{}`, ""), object(`"a":false`, ""), "'a' allows no value any more"},
		{"positions", `{"prefixItems":[{"type":"string"},{}]}`, `{"prefixItems":[{"type":"null"}]}`,
			"'[0]' changed its type from string to null; '[]' lost positions: 1"},
	} {
		if got := strings.Join(breaksOf(json.RawMessage(c.before), json.RawMessage(c.after)), "; "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := breaksOf(json.RawMessage(`{}`), nil); !slices.Equal(got, []string{"the schema was removed"}) {
		t.Error(got)
	}
}
