package realm

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// breaksOf returns how a schema breaks those who read what an earlier one describes, in the order of the schema: a
// property is gone or may be missing, a type has changed, a value of an enumeration is gone. What was added or widened
// breaks nobody. Nothing is said of what is not understood.
func breaksOf(before, after json.RawMessage) []string {
	var from, to any
	switch {
	case before == nil || json.Unmarshal(before, &from) != nil:
		return nil
	case after == nil:
		return []string{"the schema was removed"}
	case json.Unmarshal(after, &to) != nil:
		return nil
	}
	d := &difference{from: from, to: to, seen: map[[2]string]bool{}}
	d.schemas(from, to, "", "", nil)
	return d.breaks
}

// maxBreaks is the max number of breaks that are listed, maxPairs that of schemas that are compared.
const (
	maxBreaks = 100
	maxPairs  = 50_000
)

// difference compares two schemas.
type difference struct {
	from, to any
	seen     map[[2]string]bool // pairs of pointers that are compared
	breaks   []string
}

// add notes a break at a path of properties.
func (d *difference) add(path []string, format string, args ...any) {
	if len(d.breaks) == maxBreaks {
		return
	}
	where := "the schema"
	if len(path) > 0 {
		where = "'" + strings.Join(path, ".") + "'"
	}
	d.breaks = append(d.breaks, where+" "+fmt.Sprintf(format, args...))
}

// schemas compares two schemas, at pointers in their documents, that describe the value at a path.
func (d *difference) schemas(before, after any, at, to string, path []string) {
	before, at = follow(d.from, before, at)
	after, to = follow(d.to, after, to)
	pair := [2]string{at, to}
	if d.seen[pair] || len(d.seen) == maxPairs {
		return
	}
	d.seen[pair] = true
	if after == false && before != false {
		d.add(path, "allows no value any more")
		return
	}
	old, ok := before.(map[string]any)
	now, also := after.(map[string]any)
	if !ok || !also {
		return
	}
	d.types(old, now, path)
	d.enums(old, now, path)
	d.properties(old, now, at, to, path)
	d.items(old, now, at, to, path)
	for _, word := range []string{"additionalProperties", "then", "else"} {
		d.pair(old, now, word, at, to, path)
	}
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		d.alternatives(old, now, word, at, to, path)
	}
}

// follow returns the schema that a schema refers to, unless it says more itself.
func follow(root, schema any, pointer string) (any, string) {
	for range 100 { // then it refers to itself
		object, _ := schema.(map[string]any)
		ref, ok := object["$ref"].(string)
		if !ok {
			break
		}
		target, at, err := resolve(root, ref)
		if err != nil {
			break
		}
		schema, pointer = target, at
	}
	return schema, pointer
}

// pair compares the schemas of a keyword with one schema.
func (d *difference) pair(old, now map[string]any, word, at, to string, path []string) {
	if old[word] != nil && now[word] != nil {
		d.schemas(old[word], now[word], at+"/"+word, to+"/"+word, path)
	}
}

func (d *difference) types(old, now map[string]any, path []string) {
	before, after := typesOf(old), typesOf(now)
	if before != nil && after != nil && !includes(before, after) && !includes(after, before) {
		d.add(path, "changed its type from %s to %s", strings.Join(before, " or "), strings.Join(after, " or "))
	}
}

// includes reports whether types include others. Integers are numbers.
func includes(types, others []string) bool {
	for _, t := range others {
		if !slices.Contains(types, t) && (t != "integer" || !slices.Contains(types, "number")) {
			return false
		}
	}
	return true
}

// enums compares the values that are listed.
func (d *difference) enums(old, now map[string]any, path []string) {
	before, after := valuesOf(old), valuesOf(now)
	if after == nil {
		return
	}
	for _, v := range before {
		if !slices.ContainsFunc(after, func(other any) bool { return reflect.DeepEqual(v, other) }) {
			text, _ := json.Marshal(v)
			d.add(path, "may not be %s any more", text)
		}
	}
}

// valuesOf returns the values that a schema lists, nil for all.
func valuesOf(object map[string]any) []any {
	if v, ok := object["const"]; ok {
		return []any{v}
	}
	all, _ := object["enum"].([]any)
	return all
}

func (d *difference) properties(old, now map[string]any, at, to string, path []string) {
	before, _ := old["properties"].(map[string]any)
	after, _ := now["properties"].(map[string]any)
	required := namesOf(now["required"])
	for _, name := range slices.Sorted(maps.Keys(before)) {
		child := append(slices.Clone(path), name)
		schema, ok := after[name]
		if !ok {
			if !d.elsewhere(now, name, 0) {
				d.add(child, "was removed")
			}
			continue
		}
		if slices.Contains(namesOf(old["required"]), name) && !slices.Contains(required, name) {
			d.add(child, "is not required any more")
		}
		part := "/properties/" + escape(name)
		d.schemas(before[name], schema, at+part, to+part, child)
	}
}

// elsewhere reports whether a schema has a property in one of the schemas that all have to fit.
func (d *difference) elsewhere(object map[string]any, name string, depth int) bool {
	all, _ := object["allOf"].([]any)
	if depth > 10 {
		return true // no claim
	}
	for _, s := range all {
		s, _ = follow(d.to, s, "")
		part, _ := s.(map[string]any)
		properties, _ := part["properties"].(map[string]any)
		if _, ok := properties[name]; ok || d.elsewhere(part, name, depth+1) {
			return true
		}
	}
	return false
}

func namesOf(v any) []string {
	var all []string
	list, _ := v.([]any)
	for _, e := range list {
		if s, ok := e.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// items compares the elements of arrays.
func (d *difference) items(old, now map[string]any, at, to string, path []string) {
	of := append(slices.Clone(path), "[]")
	d.pair(old, now, "items", at, to, of)
	before, _ := old["prefixItems"].([]any)
	after, _ := now["prefixItems"].([]any)
	for i := range min(len(before), len(after)) {
		part := "/prefixItems/" + strconv.Itoa(i)
		d.schemas(before[i], after[i], at+part, to+part, append(slices.Clone(path), "["+strconv.Itoa(i)+"]"))
	}
	if len(after) < len(before) {
		d.add(of, "lost positions: %d", len(before)-len(after))
	}
}

// alternatives compares lists of schemas: what is equal is left out, the rest is compared in its order.
func (d *difference) alternatives(old, now map[string]any, word, at, to string, path []string) {
	before, after := schemasOf(old, word), schemasOf(now, word)
	rest := func(list, others []within) []within {
		return slices.DeleteFunc(slices.Clone(list), func(w within) bool {
			return slices.ContainsFunc(others, func(o within) bool { return reflect.DeepEqual(w.schema, o.schema) })
		})
	}
	gone, added := rest(before, after), rest(after, before)
	for i := range min(len(gone), len(added)) {
		d.schemas(gone[i].schema, added[i].schema, at+gone[i].pointer, to+added[i].pointer, path)
	}
	if n := len(gone) - len(added); n > 0 && word != "allOf" && len(after) > 0 {
		d.add(path, "lost alternatives: %d", n)
	}
	if len(before) > 0 && len(after) == 0 && word == "allOf" {
		for _, g := range gone { // the properties may be in the schema itself now
			d.schemas(g.schema, any(now), at+g.pointer, to, path)
		}
	}
}
