package realm

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// part is a schema in a document.
type part struct {
	schema  any
	pointer string // JSON pointer
}

// flatSchema is a schema merged with the schemas that it refers to, and with the schemas in its allOf. A value has to
// fit all these schemas.
type flatSchema struct {
	never      bool     // no value fits
	types      []string // nil for all
	values     map[string]bool
	order      []string // listed values in order, as JSON; values is nil if there are none
	properties map[string][]part
	patterns   map[string][]part
	required   map[string]bool
	prefix     []part            // schemas of the first elements of an array
	one        map[string][]part // keywords with one schema
	either     map[string][]part // keywords with alternatives
	unread     map[string]string // keywords that are not compared, as JSON
}

// eitherOf are the keywords with alternatives.
var eitherOf = []string{"anyOf", "oneOf"}

// unread are keywords whose changes are reported without a closer comparison.
var unread = []string{"if", "dependentRequired", "dependentSchemas", "dependencies", "contains", "propertyNames",
	"unevaluatedProperties", "unevaluatedItems", "$recursiveRef",
	"$dynamicRef"}

// says are the keywords that are compared. A schema that has $ref and none of these keywords means the same as the
// target of $ref.
var says = []string{"type", "enum", "const", "properties", "patternProperties", "required", "prefixItems", "items",
	"additionalItems", "additionalProperties", "then", "else", "allOf", "anyOf", "oneOf", "if", "dependentRequired",
	"dependentSchemas", "dependencies", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems",
	"$recursiveRef"}

// isDraft7 reports whether a document is of draft-07. This draft ignores keywords beside $ref.
func isDraft7(document map[string]any) bool {
	draft, _ := document["$schema"].(string)
	return strings.Contains(draft, "draft-07")
}

// document returns the earlier or the later document. alone is true if the draft of this document ignores keywords
// beside $ref.
func (d *difference) document(earlier bool) (root document, alone bool) {
	if earlier {
		return d.from, d.alone[0]
	}
	return d.to, d.alone[1]
}

// target returns the target of a schema's reference. refers is true if there is a target. refOnly is
// true if no other keyword of the schema applies.
func (d *difference) target(earlier bool, p part) (to part, refers, refOnly bool) {
	object, _ := p.schema.(map[string]any)
	ref, refers := refOf(object)
	if !refers || !d.spend(1+len(ref)/100) {
		return p, false, false
	}
	root, alone := d.document(earlier)
	schema, pointer, err := root.resolve(ref)
	if err != nil {
		d.lost = brief(err, errUnsupported)
		return p, false, false
	}
	refOnly = alone || !slices.ContainsFunc(says, func(word string) bool { return object[word] != nil })
	return part{schema, pointer}, true, refOnly
}

// follow follows references as long as no other keyword of the schema applies.
func (d *difference) follow(earlier bool, p part) part {
	for range 100 { // ends the loop for a schema that refers to itself
		to, refers, only := d.target(earlier, p)
		if !refers || !only {
			break
		}
		p = to
	}
	return p
}

// flat merges a schema with its references and its allOf.
func (d *difference) flat(earlier bool, p part) flatSchema {
	f := flatSchema{properties: map[string][]part{}, patterns: map[string][]part{}, required: map[string]bool{},
		one: map[string][]part{}, either: map[string][]part{}, unread: map[string]string{}}
	d.into(&f, earlier, p, map[string]bool{})
	return f
}

func (d *difference) into(f *flatSchema, earlier bool, p part, seen map[string]bool) {
	if seen[p.pointer] || d.cut {
		return
	}
	seen[p.pointer] = true
	to, refers, only := d.target(earlier, p)
	if refers {
		d.into(f, earlier, to, seen)
	}
	if refers && only {
		return
	}
	f.never = f.never || p.schema == false
	object, _ := p.schema.(map[string]any)
	for _, s := range schemasOf(object, "allOf") {
		d.into(f, earlier, part{s.schema, p.pointer + s.pointer}, seen)
	}
	if t := typesOf(object); f.types == nil {
		f.types = t
	} else if t != nil {
		f.types = common(f.types, t)
	}
	f.list(object)
	for _, word := range unread {
		value, there := object[word]
		if word == "$dynamicRef" && object["$ref"] == nil {
			there = false // such a $dynamicRef is followed like a $ref
		}
		if there {
			key := keyOf(value)
			if !d.spend(1 + len(key)/8) {
				return
			}
			f.unread[word] += key + "\n"
		}
	}
	required, _ := object["required"].([]any)
	for _, name := range required {
		if s, ok := name.(string); ok {
			f.required[s] = true
		}
	}
	read := 1 + len(object) + len(required) + len(f.order)
	for _, word := range []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"} {
		list, _ := object[word].([]any)
		read += len(list)
	}
	if !d.spend(read) {
		return
	}
	for word, by := range map[string]map[string][]part{"properties": f.properties, "patternProperties": f.patterns} {
		schemas, _ := object[word].(map[string]any)
		for name, schema := range schemas {
			by[name] = append(by[name], part{schema, p.pointer + "/" + word + "/" + escape(name)})
		}
		if !d.spend(len(schemas)) {
			return
		}
	}
	f.arrays(object, p.pointer)
	for _, word := range []string{"additionalProperties", "then", "else"} {
		if schema, there := object[word]; there {
			f.one[word] = append(f.one[word], part{schema, p.pointer + "/" + word})
		}
	}
	for _, word := range eitherOf {
		for _, s := range schemasOf(object, word) {
			f.either[word] = append(f.either[word], part{s.schema, p.pointer + s.pointer})
		}
	}
}

// list records the values of enum or const. If values are recorded already, only those in both lists stay.
func (f *flatSchema) list(object map[string]any) {
	values, listed := object["enum"].([]any)
	if v, ok := object["const"]; ok {
		values, listed = []any{v}, true
	}
	if !listed {
		return
	}
	before := f.values
	f.values, f.order = map[string]bool{}, nil
	for _, v := range values {
		if key := keyOf(v); (before == nil || before[key]) && !f.values[key] {
			f.values[key] = true
			f.order = append(f.order, key)
		}
	}
}

// arrays records the schemas of array elements, in draft-07 and later forms.
func (f *flatSchema) arrays(object map[string]any, pointer string) {
	first, rest := "prefixItems", "items"
	if _, tuple := object["items"].([]any); tuple {
		first, rest = "items", "additionalItems"
	}
	if f.prefix == nil {
		for _, s := range schemasOf(object, first) {
			f.prefix = append(f.prefix, part{s.schema, pointer + s.pointer})
		}
	}
	if schema, there := object[rest]; there {
		f.one["items"] = append(f.one["items"], part{schema, pointer + "/" + rest})
	}
}

// common returns the types that both lists allow. The type number contains integer.
func common(a, b []string) []string {
	all := []string{}
	for _, list := range [][2][]string{{a, b}, {b, a}} {
		for _, t := range list[0] {
			if includes(list[1], []string{t}) && !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return all
}

// typesOf returns the types that a schema allows. It returns nil if the schema allows all types, or is nested too
// deeply. The types come from the schema's type, its listed values, or its alternatives.
func (d *difference) typesOf(earlier bool, f flatSchema, depth int) []string {
	switch {
	case f.types != nil:
		return f.types
	case f.values != nil:
		var all []string
		for _, key := range f.order {
			if t := typeOf(key); !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
		return all
	}
	for _, word := range eitherOf {
		var all []string
		for _, p := range f.either[word] {
			if depth > 3 || d.cut {
				return nil
			}
			of := d.typesOf(earlier, d.flat(earlier, p), depth+1)
			if of == nil {
				return nil
			}
			for _, t := range of {
				if !slices.Contains(all, t) {
					all = append(all, t)
				}
			}
		}
		if all != nil {
			return all
		}
	}
	return nil
}

// valuesOf returns the listed values of a schema, and their order. The values may come from the schema's alternatives
// if each alternative lists values. valuesOf returns nil if there is no list, or if the schemas are too large or deep.
func (d *difference) valuesOf(earlier bool, f flatSchema, depth int) (values map[string]bool, order []string) {
	if f.values != nil {
		return f.values, f.order
	}
	for _, word := range eitherOf {
		all := map[string]bool{}
		for _, p := range f.either[word] {
			if depth > 3 || d.cut {
				return nil, nil
			}
			of, listed := d.valuesOf(earlier, d.flat(earlier, p), depth+1)
			if of == nil {
				return nil, nil
			}
			for _, key := range listed {
				if !all[key] {
					all[key], order = true, append(order, key)
				}
			}
		}
		if len(all) > 0 {
			return all, order
		}
	}
	return nil, nil
}

// typeOf returns the type of a value that is written as JSON.
func typeOf(text string) string {
	switch text[:min(1, len(text))] {
	case "{":
		return "object"
	case "[":
		return "array"
	case `"`:
		return "string"
	case "t", "f":
		return "boolean"
	case "n":
		return "null"
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil && n == math.Trunc(n) {
		return "integer"
	}
	return "number"
}

// keyOf returns a text for a value. Equal values have equal texts, and different values have different texts.
func keyOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}
