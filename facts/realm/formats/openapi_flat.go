//go:build !job

package formats

import (
	"maps"
	"slices"
)

// flatSchema is a schema merged with its allOf, and with the schemas that it refers to.
type flatSchema struct {
	words      map[string]any // the other keywords of the schema
	properties map[string]any
	order      []string
	required   map[string]bool
	either     [][]any // lists of alternatives; a value must fit one alternative of each list
	never      bool    // no value fits
	cut        bool    // some parts were not read
}

// flat merges a schema with its allOf and its references.
func (d *apiDiff) flat(doc *openAPI, v any) flatSchema {
	f := flatSchema{words: map[string]any{}, properties: map[string]any{}, required: map[string]bool{}}
	d.into(&f, doc, v, 0)
	f.order = slices.Sorted(maps.Keys(f.properties))
	return f
}

func (d *apiDiff) into(f *flatSchema, doc *openAPI, v any, depth int) {
	if d.steps++; d.steps > maxPairs || depth > 20 {
		d.cut, f.cut = true, true
		return
	}
	f.never = f.never || v == false
	own := object(v)
	if ref := reference(v); ref != "" {
		d.into(f, doc, doc.at(ref), depth+1)
		if doc.pure(v) != "" {
			return
		}
	}
	if !d.spend(1 + len(own) + len(object(own["properties"])) + len(array(own["required"]))) {
		f.cut = true
		return
	}
	for _, part := range array(own["allOf"]) {
		d.into(f, doc, part, depth+1)
	}
	for _, word := range slices.Sorted(maps.Keys(own)) {
		value := own[word]
		switch word {
		case "allOf", "$ref":
		case "oneOf", "anyOf":
			switch list := array(value); len(list) {
			case 0:
			case 1:
				d.into(f, doc, list[0], depth+1)
			default:
				if !d.open[&list[0]] {
					f.either = append(f.either, list)
				}
			}
		case "properties":
			for name, schema := range object(value) {
				f.properties[name] = together(f.properties[name], schema)
			}
		case "required":
			for _, name := range array(value) {
				f.required[text(name)] = true
			}
		default:
			f.say(word, value)
		}
	}
}

// together returns a schema for values that fit both given schemas.
func together(a, b any) any {
	if a == nil || b == nil || keyOf(a) == keyOf(b) {
		if b == nil {
			return a
		}
		return b
	}
	return map[string]any{"allOf": []any{a, b}}
}

// say adds a keyword. If the keyword is already there, the result requires both values.
func (f *flatSchema) say(word string, value any) {
	before, there := f.words[word]
	if there && before != nil {
		value = both(word, before, value)
	}
	f.words[word] = value
}

// both combines two values of a keyword into one value that requires both.
func both(word string, a, b any) any {
	switch word {
	case "type":
		return common(a, b)
	case "enum":
		allowed := keysOf(array(a))
		return slices.DeleteFunc(slices.Clone(array(b)), func(v any) bool { return !allowed[keyOf(v)] })
	case "readOnly", "writeOnly", "uniqueItems":
		return a == true || b == true
	case "items", "additionalProperties", "not", "contains", "propertyNames":
		switch {
		case a == false || b == true:
			return a
		case b == false || a == true:
			return b
		}
		return together(a, b)
	}
	for _, l := range limits {
		if was, is := numberOf(a), numberOf(b); l.word == word && was != nil && is != nil {
			if (was.Cmp(is) < 0) == l.above {
				return a
			}
			return b
		}
	}
	return b
}

// common returns the types that are in both a and b, which are values of the keyword "type". The type "number" includes
// "integer".
func common(a, b any) any {
	var all []any
	was, is := typesIn(a), typesIn(b)
	for _, t := range was {
		if slices.Contains(is, t) || t == "integer" && slices.Contains(is, "number") {
			all = append(all, t)
		} else if t == "number" && slices.Contains(is, "integer") {
			all = append(all, "integer")
		}
	}
	return all
}

// typesIn returns the types in v, which is a value of the keyword "type". It returns nil if v is neither a text nor a
// list.
func typesIn(v any) []string {
	switch t := v.(type) {
	case string:
		return []string{t}
	case []any:
		list := make([]string, 0, len(t))
		for _, e := range t {
			list = append(list, text(e))
		}
		return list
	}
	return nil
}

// with returns the schema in which one alternative replaces the first list of alternatives.
func (f flatSchema) with(alternative any) any {
	whole := maps.Clone(f.words)
	if len(f.properties) > 0 {
		whole["properties"] = f.properties
	}
	var needed []any
	for _, name := range slices.Sorted(maps.Keys(f.required)) {
		needed = append(needed, name)
	}
	if needed != nil {
		whole["required"] = needed
	}
	var rest []any
	for _, other := range f.either[min(1, len(f.either)):] {
		rest = append(rest, map[string]any{"oneOf": other})
	}
	if len(whole)+len(rest) == 0 {
		return alternative
	}
	whole["allOf"] = append(rest, alternative)
	return whole
}
