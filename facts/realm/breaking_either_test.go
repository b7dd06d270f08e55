package realm

import (
	"encoding/json"
	"strings"
	"testing"
)

// If a schema becomes alternatives, or alternatives become a schema, each alternative is compared with the schema.
func TestBreaksOfAlternatives(t *testing.T) {
	t.Parallel()
	const defs = `,"$defs":{"x":{"type":"object","properties":{"b":{"type":"string"},"next":{"$ref":"#/$defs/x"}}}}}`
	for _, c := range []struct{ name, before, after, want string }{
		{"one of other types", `{"type":"string"}`, `{"oneOf":[{"type":"integer"},{"type":"boolean"}]}`,
			"changed its type from string to integer or boolean"},
		{"one of more types", `{"type":"string"}`, `{"oneOf":[{"type":"string"},{"type":"boolean"}]}`, ""},
		{"no alternative has the property", `{"type":"object","properties":{"a":{}}}`,
			`{"type":"object","oneOf":[{"properties":{"b":{}}},{"properties":{"c":{}}}]}`, "'a' was removed"},
		{"an alternative lacks the property", `{"type":"object","properties":{"a":{}}}`,
			`{"oneOf":[{"type":"object","properties":{"a":{}}},{"type":"object"}]}`, "'a' was removed"},
		{"the property is another in each", `{"properties":{"a":{"type":"string"}}}`,
			`{"oneOf":[{"properties":{"a":{"type":"integer"}}},{"properties":{"a":{"type":"boolean"}}}]}`,
			"'a' changed its type from string to integer"},
		{"the property is in each", `{"properties":{"a":{"type":"string"}},"required":["a"]}`,
			`{"oneOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"string"},"b":{}}}],
			"required":["a"]}`, ""},
		{"alternatives of what is required", `{"properties":{"a":{},"b":{}}}`,
			`{"properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, ""},
		{"a property beside alternatives is gone", `{"properties":{"a":{},"b":{}}}`,
			`{"properties":{"a":{}},"anyOf":[{"required":["a"]},{"minProperties":1}]}`, "'b' was removed"},
		{"a reference that may be null", `{"properties":{"a":{"$ref":"#/$defs/x"}}` + defs,
			`{"properties":{"a":{"oneOf":[{"$ref":"#/$defs/x"},{"type":"null"}]}}` + defs, ""},
		{"a reference that may be null, and lost a property", `{"properties":{"a":{"$ref":"#/$defs/x"}}` + defs,
			`{"properties":{"a":{"oneOf":[{"$ref":"#/$defs/x"},{"type":"null"}]}}` +
				strings.Replace(defs, `"b"`, `"c"`, 1), "'a.b' was removed"},
		{"a value is in no alternative", `{"enum":["a","b"]}`, `{"oneOf":[{"const":"a"},{"const":"c"}]}`,
			`may not be "b" any more`},
		{"each value is in one", `{"enum":["a","b"]}`, `{"oneOf":[{"const":"a"},{"const":"b"}]}`, ""},
		{"alternatives lost a value", `{"oneOf":[{"enum":["a"]},{"enum":["b"]}]}`, `{"enum":["a"]}`,
			`may not be "b" any more`},
		{"one of them stayed", `{"oneOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`,
			`{"properties":{"b":{}}}`, ""},
		{"none of them stayed", `{"oneOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`,
			`{"properties":{"c":{}}}`, "'a' was removed"},
		{"one of another type stayed", `{"oneOf":[{"type":"string"},{"type":"object","properties":{"a":{}}}]}`,
			`{"type":"object"}`, "'a' was removed"},
		{"a keyword with other alternatives", `{"anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`,
			`{"oneOf":[{"properties":{"a":{}}},{"properties":{"c":{}}}]}`, "'b' was removed"},
		{"a keyword with the same alternatives", `{"anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`,
			`{"oneOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`, ""},
		{"alternatives within themselves", `{"properties":{"a":{"$ref":"#"}}}`,
			`{"oneOf":[{"$ref":"#"},{"properties":{"a":{"$ref":"#"}}}]}`, ""},
		// JSON Schema Validation, section 6.5.3: a required property is present, even if it is not in properties.
		{"required and not described", `{"required":["a"]}`, `{}`, "'a' is not required any more"},
		{"required elsewhere now", `{"required":["a"]}`, `{"allOf":[{"required":["a"]}]}`, ""},
		{"a list became positions", `{"items":{"type":"string"}}`, `{"prefixItems":[{"type":"integer"}]}`,
			"'[0]' changed its type from string to integer"},
		{"then is gone", `{"if":{"const":1},"then":{"required":["a"]}}`, `{"if":{"const":1}}`,
			"'a' is not required any more"},
	} {
		breaks, unknown := breaksOf(json.RawMessage(c.before), json.RawMessage(c.after))
		got := strings.Join(breaks, "; ")
		if !strings.Contains(got, c.want) || c.want == "" && got != "" || unknown != "" {
			t.Errorf("%s: %q %q, want %q", c.name, got, unknown, c.want)
		}
	}
}

// A change of a keyword that is not compared is reported.
func TestKeywordsThatAreNotCompared(t *testing.T) {
	t.Parallel()
	for word, schemas := range map[string][2]string{
		"dependentRequired":     {`{"dependentRequired":{"a":["b"]}}`, `{}`},
		"dependentSchemas":      {`{}`, `{"dependentSchemas":{"a":{"type":"object"}}}`},
		"contains":              {`{"contains":{"type":"string"}}`, `{"contains":{"type":"integer"}}`},
		"propertyNames":         {`{"propertyNames":{"maxLength":3}}`, `{"propertyNames":{"maxLength":4}}`},
		"unevaluatedProperties": {`{"unevaluatedProperties":{"type":"string"}}`, `{"unevaluatedProperties":false}`},
		"if":                    {`{"if":{"const":1},"then":{}}`, `{"if":{"const":2},"then":{}}`},
	} {
		_, unknown := breaksOf(json.RawMessage(schemas[0]), json.RawMessage(schemas[1]))
		if !strings.Contains(unknown, "has another "+word) {
			t.Errorf("%s: %q", word, unknown)
		}
		if _, unknown := breaksOf(json.RawMessage(schemas[0]), json.RawMessage(schemas[0])); unknown != "" {
			t.Errorf("%s: %q where nothing changed", word, unknown)
		}
	}
}

// The work of comparing a schema with a list of alternatives grows with the length of the list, and not with its
// square.
func TestManyAlternativesAreComparedInLinearTime(t *testing.T) {
	object := json.RawMessage(`{"type": "object", "properties": {"id": {"type": "string"}}}`)
	work := func(n int) float64 {
		several := json.RawMessage(`{"oneOf": [{"const": 1}` + strings.Repeat(`, {"const": 1}`, n-1) + `]}`)
		return testing.AllocsPerRun(1, func() {
			if breaks, unknown := breaksOf(object, several); len(breaks) != 1 || unknown != "" {
				t.Error(breaks, unknown)
			}
			breaksOf(several, object)
		})
	}
	if one, two := work(1000), work(2000); two > 2.5*one {
		t.Errorf("%v allocations for 1000 alternatives, %v for 2000", one, two)
	}
}
