package realm

import (
	"encoding/json"
	"slices"
	"strconv"
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
		{"anchor", `{"$ref":"#x","$defs":{"x":{"$anchor":"x","properties":{"a":{},"b":{}}}}}`,
			`{"$ref":"#x","$defs":{"y":{"$anchor":"x","properties":{"a":{}}}}}`, "'b' was removed"},
		{"anchor written out", `{"$ref":"#x","$defs":{"x":{"$anchor":"x","properties":{"a":{}}}}}`,
			object(`"a":{}`, ""), ""},
		{"dynamic anchor of objects",
			`{"$dynamicAnchor":"n","type":"object","properties":{"b":{"items":{"$dynamicRef":"#n"}}}}`,
			`{"$dynamicAnchor":"n","type":"object","properties":{"b":{"items":{"type":"string"}}}}`,
			"'b.[]' changed its type from object to string; 'b.[].b' was removed"},
		{"dynamic anchor as reference", `{"$dynamicAnchor":"n","properties":{"b":{"$dynamicRef":"#n"}}}`,
			`{"$dynamicAnchor":"n","properties":{"b":{"$ref":"#"}}}`, ""},
		{"moved into allOf", object(`"a":{}`, ""), `{"allOf":[` + object(`"a":{}`, "") + `]}`, ""},
		{"moved out of allOf", `{"allOf":[` + object(`"a":{}`, "") + `]}`, object(`"a":{}`, ""), ""},
		{"alternative removed", `{"oneOf":[{"type":"string"},{"type":"null"}]}`, `{"oneOf":[{"type":"string"}]}`,
			"the schema lost alternatives: 1"},
		{"alternative added", `{"anyOf":[{"type":"string"}]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, ""},
		{"constraints", object(`"a":{"maxLength":5}`, ""),
			object(`"a":{"maxLength":3,"pattern":"x","description":"y"}`, ""), ""},
		// an enumeration
		{"enum reordered", `{"enum":["x","y"]}`, `{"enum":["y","x"]}`, ""},
		{"enum of numbers", `{"enum":[1,2]}`, `{"enum":[1.0,2]}`, ""},
		{"enum of objects", `{"enum":[{"a":1,"b":2}]}`, `{"enum":[{"b":2,"a":1}]}`, ""},
		{"enum to one", `{"enum":["x","y"]}`, `{"const":"x"}`, `the schema may not be "y" any more`},
		{"const opened", `{"const":"x"}`, `{"enum":["x","y"]}`, ""},
		{"enum in a text", object(`"a":{"type":"string"}`, ""), object(`"a":{"enum":["x"]}`, ""), ""},
		{"enum of another type", object(`"a":{"type":"string"}`, ""), object(`"a":{"enum":[1]}`, ""),
			"'a' changed its type from string to integer"},
		{"const of another type", object(`"a":{"const":"1"}`, ""), object(`"a":{"type":"integer"}`, ""),
			"'a' changed its type from string to integer"},
		// types
		{"narrowed number", object(`"a":{"type":"number"}`, ""), object(`"a":{"type":"integer"}`, ""), ""},
		{"array of one", object(`"a":{"type":"string"}`, ""), object(`"a":{"type":"array","items":{"type":"string"}}`, ""),
			"'a' changed its type from string to array"},
		{"any type", object(`"a":{"type":"string"}`, ""), object(`"a":{}`, ""), ""},
		{"some type", object(`"a":{}`, ""), object(`"a":{"type":"string"}`, ""), ""},
		{"types reordered", object(`"a":{"type":["string","null"]}`, ""), object(`"a":{"type":["null","string"]}`, ""), ""},
		{"null in alternatives", object(`"a":{"type":"string"}`, ""),
			object(`"a":{"anyOf":[{"type":"string"},{"type":"null"}]}`, ""), ""},
		{"other alternatives", object(`"a":{"type":"string"}`, ""),
			object(`"a":{"oneOf":[{"type":"integer"},{"type":"boolean"}]}`, ""),
			"'a' changed its type from string to integer or boolean"},
		{"all of types", object(`"a":{"type":"string"}`, ""),
			object(`"a":{"allOf":[{"type":["string","null"]},{"type":["null","integer"]}]}`, ""),
			"'a' changed its type from string to null"},
		// required
		{"optional by removal of the list", object(`"a":{}`, `"a"`), `{"type":"object","properties":{"a":{}}}`,
			"'a' is not required any more"},
		{"required of what is not described", `{"required":["a"]}`, `{}`, "'a' is not required any more"},
		{"removed although required", object(`"a":{}`, `"a"`), object("", ""), "'a' was removed"},
		{"required in allOf", object(`"a":{}`, `"a"`), `{"allOf":[{"required":["a"]},{"properties":{"a":{}}}]}`, ""},
		{"optional in allOf", object(`"a":{}`, `"a"`), `{"allOf":[{"required":["b"]},{"properties":{"a":{}}}]}`,
			"'a' is not required any more"},
		// parts of allOf
		{"type in allOf", object(`"a":{"type":"string"}`, ""), `{"allOf":[` + object(`"a":{"type":"integer"}`, "") + `]}`,
			"'a' changed its type from string to integer"},
		{"removed from allOf", `{"allOf":[` + object(`"a":{}`, "") + `,` + object(`"b":{}`, "") + `]}`,
			`{"allOf":[` + object(`"a":{}`, "") + `]}`, "'b' was removed"},
		{"enum in allOf", `{"enum":["x","y"]}`, `{"allOf":[{"enum":["x","y"]},{"enum":["x"]}]}`,
			`the schema may not be "y" any more`},
		// references
		{"beside a reference", `{"$ref":"#/$defs/x","properties":{"b":{}},"$defs":{"x":` + object(`"a":{}`, "") + `}}`,
			`{"$ref":"#/$defs/x","$defs":{"x":` + object(`"a":{}`, "") + `}}`, "'b' was removed"},
		{"below a reference with more", `{"$ref":"#/$defs/x","required":["a"],"$defs":{"x":` + object(`"a":{}`, "") + `}}`,
			`{"$ref":"#/$defs/x","required":["a"],"$defs":{"x":` + object("", "") + `}}`, "'a' was removed"},
		{"beside a reference of draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/x",` +
			`"required":["a"],"definitions":{"x":` + object(`"a":{}`, "") + `}}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/x","definitions":{"x":` +
				object(`"a":{}`, "") + `}}`, ""},
		{"what equal alternatives refer to", `{"anyOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":` + object(`"a":{}`, "") + `}}`,
			`{"anyOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":` + object("", "") + `}}`, "'a' was removed"},
		{"what is deep in equal alternatives", `{"oneOf":[{"items":{"$ref":"#/$defs/x"}}],"$defs":{"x":{"type":"string"}}}`,
			`{"oneOf":[{"items":{"$ref":"#/$defs/x"}}],"$defs":{"x":{"type":"null"}}}`,
			"'[]' changed its type from string to null"},
		{"an unused definition", `{"$defs":{"x":` + object(`"a":{}`, "") + `}}`, `{}`, ""},
		{"a renamed definition", `{"$ref":"#/$defs/x","$defs":{"x":{"type":"string"}}}`,
			`{"$ref":"#/$defs/y","$defs":{"y":{"type":"string"}}}`, ""},
		{"a chain", `{"$ref":"#/$defs/x","$defs":{"x":{"$ref":"#/$defs/y"},"y":{"type":"string"}}}`, `{"type":"integer"}`,
			"the schema changed its type from string to integer"},
		{"two that refer to each other", `{"$ref":"#/$defs/x","$defs":{"x":{"$ref":"#/$defs/y"},"y":{"$ref":"#/$defs/x"}}}`,
			`{"type":"integer"}`, ""},
		// arrays and maps
		{"a tuple of draft-07", `{"items":[{"type":"string"},{"type":"null"}]}`, `{"items":[{"type":"string"}]}`,
			"'[]' lost positions: 1"},
		{"a type in a tuple of draft-07", `{"items":[{"type":"string"}]}`, `{"items":[{"type":"integer"}]}`,
			"'[0]' changed its type from string to integer"},
		{"a position more", `{"prefixItems":[{"type":"string"}]}`, `{"prefixItems":[{"type":"string"},{}]}`, ""},
		{"elements of elements", `{"items":{"items":{"type":"string"}}}`, `{"items":{"items":{"type":"boolean"}}}`,
			"'[].[]' changed its type from string to boolean"},
		{"values of a map", object(`"a":{"additionalProperties":{"type":"string"}}`, ""),
			object(`"a":{"additionalProperties":{"type":"integer"}}`, ""), "'a.*' changed its type from string to integer"},
		{"a map without values", object(`"a":{"additionalProperties":{"type":"string"}}`, ""),
			object(`"a":{"additionalProperties":false}`, ""), "'a.*' allows no value any more"},
		{"closed", object(`"a":{}`, ""), `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, ""},
		{"closed from open", `{"properties":{"a":{}},"additionalProperties":true}`,
			`{"properties":{"a":{}},"additionalProperties":false}`, ""},
		{"opened", `{"properties":{"a":{}},"additionalProperties":false}`, `{"properties":{"a":{}}}`, ""},
		{"a pattern's type", `{"patternProperties":{"^x":{"type":"string"}}}`,
			`{"patternProperties":{"^x":{"type":"integer"}}}`, "'/^x/' changed its type from string to integer"},
		{"a pattern is gone", `{"patternProperties":{"^x":{}}}`, `{}`, "'/^x/' was removed"},
		// keywords without a meaning for readers, alternatives, and other cases
		{"texts", `{"title":"x","description":"y","examples":[1]}`, `{"title":"z","default":1,"deprecated":true}`, ""},
		{"limits of numbers", `{"minimum":1,"maximum":5}`, `{"minimum":0,"maximum":3,"multipleOf":2}`, ""},
		{"format", `{"type":"string","format":"date"}`, `{"type":"string","format":"uri"}`, ""},
		{"more alternatives of objects", `{"oneOf":[` + object(`"a":{}`, "") + `]}`,
			`{"oneOf":[` + object(`"a":{}`, "") + `,` + object(`"b":{}`, "") + `]}`, ""},
		{"alternatives reordered", `{"oneOf":[{"type":"string"},{"type":"integer"}]}`,
			`{"oneOf":[{"type":"integer"},{"type":"string"}]}`, ""},
		{"an alternative's property", `{"oneOf":[` + object(`"a":{}`, "") + `,{"type":"null"}]}`,
			`{"oneOf":[` + object(`"b":{}`, "") + `,{"type":"null"}]}`, "'a' was removed"},
		{"then", `{"if":{},"then":` + object(`"a":{}`, "") + `}`, `{"if":{},"then":` + object("", "") + `}`, "'a' was removed"},
		{"a name with a slash", object(`"a/b":{"type":"string"}`, ""), object(`"a/b":{"type":"null"}`, ""),
			"'a/b' changed its type from string to null"},
		{"nothing allowed", object(`"a":{}`, ""), object(`"a":false`, ""), "'a' allows no value any more"},
		{"positions", `{"prefixItems":[{"type":"string"},{}]}`, `{"prefixItems":[{"type":"null"}]}`,
			"'[0]' changed its type from string to null; '[]' lost positions: 1"},
	} {
		breaks, unknown := breaksOf(json.RawMessage(c.before), json.RawMessage(c.after))
		if got := strings.Join(breaks, "; "); got != c.want || unknown != "" {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got, _ := breaksOf(json.RawMessage(`{}`), nil); !slices.Equal(got, []string{"the schema was removed"}) {
		t.Error(got)
	}
}

// A comparison that would take too long is reported as incomplete.
func TestHugeSchemasAreNotComparedInFull(t *testing.T) {
	t.Parallel()
	many := func(n int, one string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = strings.ReplaceAll(one, "N", strconv.Itoa(i))
		}
		return strings.Join(list, ",")
	}
	// each property has all properties of a large schema
	wide := `"w":{"properties":{` + many(3000, `"pN":{"type":"string"}`) + `}}`
	for name, schema := range map[string]string{
		"references to a wide schema": `{"properties":{` + many(3000, `"qN":{"title":"N","allOf":[{"$ref":"#/$defs/w"}]}`) +
			`},"$defs":{` + wide + `}}`,
		"a deep schema": strings.Repeat(`{"properties":{"a":`, 300) + "{}" + strings.Repeat("}}", 300),
		"nested alternatives": strings.Repeat(`{"title":"`+strings.Repeat("x", 500)+`","anyOf":[`, 300) + "{}" +
			strings.Repeat("]}", 300),
	} {
		if _, unknown := breaksOf(json.RawMessage(schema), json.RawMessage(schema)); unknown == "" {
			t.Errorf("%s: compared in full", name)
		}
	}
	// lists without common elements
	for _, word := range []string{"enum", "anyOf", "required"} {
		before, after := `{"`+word+`":[`+many(20_000, `"xN"`)+`]}`, `{"`+word+`":[`+many(20_000, `"yN"`)+`]}`
		if breaks, unknown := breaksOf(json.RawMessage(before), json.RawMessage(after)); unknown != "" ||
			len(breaks) > maxBreaks {
			t.Errorf("%s: %d breaks", word, len(breaks))
		}
	}
	loop := `{"$ref":"#/$defs/x","$defs":{"x":{"allOf":[` + many(100, `{"$ref":"#/$defs/x"}`) + `]}}}`
	if breaks, _ := breaksOf(json.RawMessage(`{"properties":{"a":{}}}`), json.RawMessage(loop)); len(breaks) != 1 {
		t.Error(breaks)
	}
}

// References that are not followed leave changes unseen, so the comparison says that it is not complete.
func TestReferencesThatAreNotFollowedAreSaid(t *testing.T) {
	t.Parallel()
	for ref, def := range map[string]string{"#x": `"$id":"x.json","$anchor":"x"`, "x.json": `"$id":"x.json"`,
		"https://example.com/x": ``} {
		schema := func(kind string) json.RawMessage {
			if def != "" {
				def += ","
			}
			text := `{"properties":{"a":{"$ref":"` + ref + `"}},"$defs":{"x":{` + def + `"type":"` + kind + `"}}}`
			def = strings.TrimSuffix(def, ",")
			return json.RawMessage(text)
		}
		breaks, unknown := breaksOf(schema("string"), schema("integer"))
		if len(breaks) > 0 || !strings.Contains(unknown, ref) {
			t.Errorf("%s: %v, %q", ref, breaks, unknown)
		}
	}
}
