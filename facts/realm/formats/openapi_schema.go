//go:build !job

package formats

import (
	"reflect"
	"slices"
	"strings"
)

// schemas compares two schemas at a path of properties. dir says whether clients write or read values of the schemas.
func (d *apiDiff) schemas(where, path string, was, is any, dir direction) {
	if d.steps++; d.steps > maxPairs {
		d.cut = true
		return
	}
	if a, b := d.identity(d.from, was), d.identity(d.to, is); a != "" && b != "" {
		pair := apiPair{a, b, dir}
		if d.seen[pair] {
			return
		}
		d.seen[pair] = true
	}
	if was == nil {
		return // without an earlier schema, there is nothing to compare
	}
	if strings.Count(path, ".") > maxDepth || d.depth > maxNested {
		d.cut = true
		return
	}
	d.depth++
	defer func() { d.depth-- }()
	c := apiCompared{d, where, path, dir, was, is, d.flat(d.from, was), d.flat(d.to, is)}
	switch {
	case c.was.cut || c.is.cut: // a missing part would look like a change
	case is == nil:
		if dir == response {
			c.say(Breaking, "schema-removed", "is not described any more")
		}
	case c.is.never && !c.was.never && dir == request:
		c.say(Breaking, "forbidden", "takes no value any more")
	case c.is.never || c.was.never:
	case len(c.was.either)+len(c.is.either) > 0:
		c.alternatives()
	default:
		c.types()
		c.values()
		c.bounds()
		c.members()
		c.elements()
		c.more()
		c.others()
	}
}

// apiCompared is a pair of schemas under comparison.
type apiCompared struct {
	*apiDiff
	where, path string
	dir         direction
	before, now any // the schemas as written
	was, is     flatSchema
}

// identity returns a text that identifies a schema, so that recursive schemas are compared once. For a schema that is
// only a $ref, the text is the target. For any other schema with $ref, allOf, oneOf or anyOf, it is the whole schema.
// For the other schemas it is "", because they are recursive only through a schema with one of these keywords.
func (d *apiDiff) identity(doc *openAPI, v any) string {
	if ref := doc.pure(v); ref != "" {
		return ref
	}
	own := object(v)
	for _, word := range []string{"$ref", "allOf", "oneOf", "anyOf"} {
		if own[word] == nil {
			continue
		}
		key := keyOf(v)
		if !d.spend(len(key) / 8) {
			return ""
		}
		return "is " + key
	}
	return ""
}

// say adds a change at the path of the compared schemas.
func (c apiCompared) say(level Level, rule, format string, args ...any) {
	c.of(c.path, level, rule, format, args...)
}

// of adds a change at the path of a property.
func (c apiCompared) of(path string, level Level, rule, format string, args ...any) {
	where := c.where
	if path != "" {
		where += ": '" + strings.TrimPrefix(path, ".") + "'"
	}
	side := "response-"
	if c.dir == request {
		side = "request-"
	}
	c.add(level, side+rule, "%s "+format, append([]any{where}, args...)...)
}

// kinds returns the types of a schema, or nil for all.
func (f flatSchema) kinds() []string {
	list := typesIn(f.words["type"])
	if list != nil && f.words["nullable"] == true {
		list = append(slices.Clone(list), "null")
	}
	return list
}

// has reports whether a schema names a type.
func (f flatSchema) has(kind string) bool { return slices.Contains(f.kinds(), kind) }

// within reports whether the second list of types contains all types of the first list. The type number contains
// integer.
func within(types, others []string) bool {
	allowed := set(others)
	return others == nil || types != nil && !slices.ContainsFunc(types, func(t string) bool {
		return !allowed[t] && (t != "integer" || !allowed["number"])
	})
}

// types compares types and formats. A request may accept more types than before, and a response may have fewer.
func (c apiCompared) types() {
	was, is := c.was.kinds(), c.is.kinds()
	fits := within(is, was)
	if c.dir == request {
		fits = within(was, is)
	}
	if !fits {
		c.say(Breaking, "type-changed", "changed its type from %s to %s", named(was), named(is))
		return
	}
	before, now := text(c.was.words["format"]), text(c.is.words["format"])
	if before == now {
		return
	}
	if c.dir == request && before == "int32" && now == "double" && c.is.has("number") ||
		c.dir == response && before == "double" && !c.is.has("number") {
		return // every int32 fits, and the types have been compared
	}
	wider := now == "" || before == "int32" && now == "int64" || before == "float" && now == "double"
	narrower := before == "" || now == "int32" && before == "int64" || now == "float" && before == "double"
	if c.dir == request && !wider || c.dir == response && !narrower {
		c.say(Breaking, "type-changed", "changed its format from '%s' to '%s'", before, now)
	}
}

func named(types []string) string {
	if types == nil {
		return "any"
	}
	return strings.Join(types, " or ")
}

// listed returns the listed values of a schema, or nil if it lists none.
func (f flatSchema) listed() []any {
	if v, ok := f.words["const"]; ok {
		return []any{v}
	}
	return array(f.words["enum"])
}

// keysOf returns the set of the values' texts. Equal values have equal texts.
func keysOf(values []any) map[string]bool {
	all := make(map[string]bool, len(values))
	for _, v := range values {
		all[keyOf(v)] = true
	}
	return all
}

// values compares the listed values.
func (c apiCompared) values() {
	was, is := c.was.listed(), c.is.listed()
	before, now := keysOf(was), keysOf(is)
	switch {
	case c.dir == request && was == nil && is != nil:
		c.say(Breaking, "became-enum", "takes only listed values now")
	case c.dir == request && is != nil:
		for _, v := range was {
			if !now[keyOf(v)] {
				c.say(Breaking, "enum-value-removed", "takes %s no more", shown(v))
			}
		}
	case c.dir == response && was != nil && is == nil:
		c.say(Breaking, "enum-removed", "may have any value now")
	case c.dir == response && was != nil:
		for _, v := range is {
			if !before[keyOf(v)] {
				c.say(Breaking, "enum-value-added", "may be %s now", shown(v))
			}
		}
	}
	if c.dir == request && c.was.words["default"] != nil &&
		!reflect.DeepEqual(c.was.words["default"], c.is.words["default"]) {
		c.say(Dangerous, "default-changed", "has another default")
	}
}
