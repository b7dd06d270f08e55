//go:build !job

package formats

import (
	"encoding/json"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
)

// flatSchema is a schema with the schemas of its allOf in it.
type flatSchema struct {
	words      map[string]any // its own keywords
	properties map[string]any
	order      []string
	required   map[string]bool
}

// flat puts the schemas of allOf into their schema.
func (d *apiDiff) flat(doc *openAPI, v any) flatSchema {
	f := flatSchema{words: map[string]any{}, properties: map[string]any{}, required: map[string]bool{}}
	d.into(&f, doc, v, 0)
	f.order = slices.Sorted(maps.Keys(f.properties))
	return f
}

func (d *apiDiff) into(f *flatSchema, doc *openAPI, v any, depth int) {
	if d.steps++; d.steps > maxPairs || depth > 20 {
		d.cut = true
		return
	}
	own := object(doc.follow(v))
	if !d.spend(1 + len(own) + len(object(own["properties"])) + len(array(own["required"]))) {
		return
	}
	for _, part := range array(own["allOf"]) {
		d.into(f, doc, part, depth+1)
	}
	for word, value := range own {
		switch word {
		case "allOf":
		case "properties":
			for name, schema := range object(value) {
				f.properties[name] = schema
			}
		case "required":
			for _, name := range array(value) {
				f.required[text(name)] = true
			}
		default:
			f.words[word] = value
		}
	}
}

// schemas compares two schemas of what clients write or read, at a path of properties.
func (d *apiDiff) schemas(where, path string, was, is any, dir direction) {
	if d.steps++; d.steps > maxPairs {
		d.cut = true
		return
	}
	if a, b := reference(was), reference(is); a != "" && b != "" {
		pair := apiPair{a, b, dir}
		if d.seen[pair] {
			return
		}
		d.seen[pair] = true
	}
	if is == nil || was == nil {
		return // nothing is said of what is not described
	}
	if strings.Count(path, ".") > maxDepth {
		d.cut = true
		return
	}
	o, n := d.flat(d.from, was), d.flat(d.to, is)
	c := apiCompared{d, where, path, dir, o, n}
	if c.alternatives() {
		return
	}
	c.types()
	c.values()
	c.bounds()
	c.members()
	if o.words["items"] != nil && n.words["items"] != nil {
		d.schemas(where, path+"[]", o.words["items"], n.words["items"], dir)
	}
	if object(o.words["additionalProperties"]) != nil && object(n.words["additionalProperties"]) != nil {
		d.schemas(where, path+".*", o.words["additionalProperties"], n.words["additionalProperties"], dir)
	}
}

// apiCompared is a pair of schemas that are compared.
type apiCompared struct {
	*apiDiff
	where, path string
	dir         direction
	was, is     flatSchema
}

// say adds a change of the schema.
func (c apiCompared) say(level Level, rule, format string, args ...any) {
	c.of(c.path, level, rule, format, args...)
}

// of adds a change of a property.
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

// kinds returns the types of a schema, nil for all. Integers are numbers.
func (f flatSchema) kinds() []string {
	var list []string
	switch t := f.words["type"].(type) {
	case string:
		list = []string{t}
	case []any:
		for _, e := range t {
			list = append(list, text(e))
		}
	}
	if list != nil && f.words["nullable"] == true {
		list = append(list, "null")
	}
	return list
}

// within reports whether types are among others.
func within(types, others []string) bool {
	allowed := set(others)
	return others == nil || types != nil && !slices.ContainsFunc(types, func(t string) bool {
		return !allowed[t] && (t != "integer" || !allowed["number"])
	})
}

// types compares types and formats. What clients write may become more, what they read less.
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
	if before == now || len(was) != len(is) {
		return
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

// listed returns the values that a schema lists, nil for all.
func (f flatSchema) listed() []any {
	if v, ok := f.words["const"]; ok {
		return []any{v}
	}
	return array(f.words["enum"])
}

// keysOf returns the keys of values.
func keysOf(values []any) map[string]bool {
	all := make(map[string]bool, len(values))
	for _, v := range values {
		all[keyOf(v)] = true
	}
	return all
}

// values compares the values that are listed.
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
		c.say(Dangerous, "enum-removed", "may have any value now")
	case c.dir == response && was != nil:
		for _, v := range is {
			if !before[keyOf(v)] {
				c.say(Dangerous, "enum-value-added", "may be %s now", shown(v))
			}
		}
	}
	if c.dir == request && c.was.words["default"] != nil &&
		!reflect.DeepEqual(c.was.words["default"], c.is.words["default"]) {
		c.say(Dangerous, "default-changed", "has another default")
	}
}

// limits are keywords of JSON Schema that bound a value from above and from below.
var limits = []struct {
	word  string
	above bool
}{
	{"maximum", true}, {"exclusiveMaximum", true}, {"maxLength", true}, {"maxItems", true}, {"maxProperties", true},
	{"minimum", false}, {"exclusiveMinimum", false}, {"minLength", false}, {"minItems", false}, {"minProperties", false},
}

// bounds compares limits: clients may write no less than before, and read no more.
func (c apiCompared) bounds() {
	for _, l := range limits {
		was, is := numberOf(c.was.words[l.word]), numberOf(c.is.words[l.word])
		order := 0 // of the new limit: 1 if it is tighter
		switch {
		case was == nil && is == nil:
		case was == nil:
			order = 1
		case is == nil:
			order = -1
		case l.above:
			order = was.Cmp(is)
		default:
			order = is.Cmp(was)
		}
		if order > 0 && c.dir == request || order < 0 && c.dir == response {
			c.say(Breaking, "limit-changed", "has another %s: %s, not %s", l.word, limitOf(is), limitOf(was))
		}
	}
	was, is := text(c.was.words["pattern"]), text(c.is.words["pattern"])
	switch {
	case was == is || c.dir == response || is == "":
	case was == "":
		c.say(Breaking, "pattern-added", "has to match a pattern now")
	default:
		c.say(Dangerous, "pattern-changed", "has to match another pattern")
	}
	if c.dir == request && c.is.words["uniqueItems"] == true && c.was.words["uniqueItems"] != true {
		c.say(Breaking, "limit-changed", "may not have equal items any more")
	}
}

func numberOf(v any) *big.Float {
	n, ok := v.(json.Number)
	if !ok || len(n) > 40 {
		return nil
	}
	f, _, err := big.ParseFloat(n.String(), 10, 200, big.ToNearestEven)
	if err != nil {
		return nil
	}
	return f
}

func limitOf(f *big.Float) string {
	if f == nil {
		return "none"
	}
	return f.Text('g', 20)
}

// mine reports whether a property is in what the direction has: others are left out by readOnly and writeOnly.
func (c apiCompared) mine(schema any, doc *openAPI) bool {
	s := object(doc.follow(schema))
	return (c.dir != request || s["readOnly"] != true) && (c.dir != response || s["writeOnly"] != true)
}

// members compares the properties of objects.
func (c apiCompared) members() {
	for _, name := range c.was.order {
		schema := c.was.properties[name]
		if !c.mine(schema, c.from) {
			continue
		}
		path := c.path + "." + name
		now, there := c.is.properties[name]
		needed, needs := c.was.required[name], c.is.required[name]
		switch {
		case there && !c.mine(now, c.to):
			there = false
		case there && c.dir == request && needs && !needed && !c.hasDefault(now):
			c.of(path, Breaking, "property-became-required", "became required")
		case there && c.dir == response && needed && !needs:
			c.of(path, Breaking, "property-became-optional", "is not required any more")
		}
		switch {
		case there:
			c.schemas(c.where, path, schema, now, c.dir)
		case c.dir == response || c.is.words["additionalProperties"] == false:
			c.of(path, Breaking, "property-removed", "was removed")
		default:
			c.of(path, Dangerous, "property-removed", "was removed")
		}
	}
	if c.dir == response {
		return
	}
	for _, name := range c.is.order {
		now := c.is.properties[name]
		if _, there := c.was.properties[name]; !there && c.is.required[name] && c.mine(now, c.to) &&
			!c.hasDefault(now) {
			c.of(c.path+"."+name, Breaking, "new-required-property", "was added, and is required")
		}
	}
	if c.is.words["additionalProperties"] == false && c.was.words["additionalProperties"] != false &&
		len(c.was.order) > 0 {
		c.say(Breaking, "additional-properties-forbidden", "takes no other properties any more")
	}
}

// hasDefault reports whether a property has a value where clients send none.
func (c apiCompared) hasDefault(schema any) bool {
	_, ok := object(c.to.follow(schema))["default"]
	return ok
}

// choices returns the alternatives of a schema, none if it has no such list.
func choices(f flatSchema) (list []any) {
	for _, word := range []string{"oneOf", "anyOf"} {
		list = append(list, array(f.words[word])...)
	}
	return list
}

// alternatives compares the lists oneOf and anyOf, and reports whether there are any.
func (c apiCompared) alternatives() bool {
	was, is := choices(c.was), choices(c.is)
	several, many := len(was) > 0, len(is) > 0
	if !several && !many {
		return false
	}
	if several != many { // one schema became several, or the other way round
		if many && c.dir == response {
			c.say(Breaking, "alternatives-added", "may be one of several now")
		}
		if several && c.dir == request {
			c.say(Breaking, "alternatives-removed", "may be one of several no more")
		}
		return true
	}
	before, now := keysOf(was), keysOf(is)
	for _, keys := range []map[string]bool{before, now} {
		for key := range keys {
			if !c.spend(1 + len(key)/8) {
				return true
			}
		}
	}
	rest := func(list []any, others map[string]bool) []any {
		return slices.DeleteFunc(slices.Clone(list), func(v any) bool { return others[keyOf(v)] })
	}
	for _, v := range was { // what equal ones refer to may have changed
		key := keyOf(v)
		if !now[key] {
			continue
		}
		pair := apiPair{"is " + key, "is " + key, c.dir}
		if reference(v) == "" && c.seen[pair] {
			continue
		}
		c.seen[pair] = true
		c.schemas(c.where, c.path, v, v, c.dir)
	}
	gone, added := rest(was, now), rest(is, before)
	for i := range min(len(gone), len(added)) {
		c.schemas(c.where, c.path, gone[i], added[i], c.dir)
	}
	switch n := len(gone) - len(added); {
	case n > 0 && c.dir == request:
		c.say(Breaking, "alternatives-removed", "lost alternatives: %d", n)
	case n < 0 && c.dir == response:
		c.say(Breaking, "alternatives-added", "has more alternatives: %d", -n)
	}
	c.members() // alternatives apply beside the properties
	return true
}
