//go:build !job

package formats

import (
	"maps"
	"reflect"
	"slices"
)

// mine reports whether a property can occur in the compared direction. Requests have no readOnly properties, and
// responses have no writeOnly properties.
func (c apiCompared) mine(schema any, doc *openAPI) bool {
	if c.dir == request {
		return doc.says(schema, "readOnly") != true
	}
	return doc.says(schema, "writeOnly") != true
}

// members compares the properties of objects.
func (c apiCompared) members() {
	for _, name := range c.was.order {
		if c.mine(c.was.properties[name], c.from) {
			c.member(name)
		}
	}
	for _, name := range c.is.order {
		now, path := c.is.properties[name], c.path+"."+name
		if before, there := c.was.properties[name]; !c.mine(now, c.to) || there && c.mine(before, c.from) {
			continue
		}
		if others := object(c.was.words["additionalProperties"]); others != nil {
			c.schemas(c.where, path, others, now, c.dir)
		}
		if c.dir == request && c.is.required[name] {
			c.of(path, Breaking, "new-required-property", "was added, and is required")
		}
	}
	c.needed()
}

// member compares a property of the earlier schema.
func (c apiCompared) member(name string) {
	path := c.path + "." + name
	now, there := c.is.properties[name]
	needed, needs := c.was.required[name], c.is.required[name]
	others := c.is.words["additionalProperties"]
	switch {
	case !there || !c.mine(now, c.to):
		level := Dangerous
		if c.dir == response || others == false {
			level = Breaking
		}
		c.of(path, level, "property-removed", "was removed")
		if c.dir == request && object(others) != nil {
			c.schemas(c.where, path, c.was.properties[name], others, c.dir)
		}
		return
	case c.dir == request && needs && !needed:
		c.of(path, Breaking, "property-became-required", "became required")
	case c.dir == response && needed && !needs:
		c.of(path, Breaking, "property-became-optional", "is not required any more")
	}
	c.schemas(c.where, path, c.was.properties[name], now, c.dir)
}

// needed compares the required properties that the schema names but does not describe under properties.
func (c apiCompared) needed() {
	for _, name := range slices.Sorted(maps.Keys(c.was.required)) {
		if _, there := c.was.properties[name]; !there && c.dir == response && !c.is.required[name] {
			c.of(c.path+"."+name, Breaking, "property-became-optional", "is not required any more")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.is.required)) {
		if _, there := c.is.properties[name]; !there && c.dir == request && !c.was.required[name] {
			c.of(c.path+"."+name, Breaking, "property-became-required", "became required")
		}
	}
}

// more compares the additional properties of objects.
func (c apiCompared) more() {
	was, is := c.was.words["additionalProperties"], c.is.words["additionalProperties"]
	before, now := object(was), object(is)
	objects := c.was.has("object") || len(c.was.properties) > 0
	switch {
	case before != nil && now != nil:
		c.schemas(c.where, c.path+".*", before, now, c.dir)
	case is == false && was != false:
		if c.dir == request && (was != nil || objects) {
			c.say(Breaking, "additional-properties-forbidden", "takes no other properties any more")
		} else if c.dir == response && before != nil {
			c.say(Breaking, "additional-properties-removed", "has no other properties any more")
		}
	case c.dir == response && before != nil:
		c.of(c.path+".*", Breaking, "type-changed", "may be anything now")
	case c.dir == request && now != nil && was == true:
		c.of(c.path+".*", Breaking, "type-changed", "may not be anything any more")
	case c.dir == request && now != nil && was == nil && objects:
		c.of(c.path+".*", Dangerous, "type-changed", "is described now")
	}
}

// elements compares the elements of arrays.
func (c apiCompared) elements() {
	was, is := c.was.words["items"], c.is.words["items"]
	switch {
	case was != nil && is != nil:
		c.schemas(c.where, c.path+"[]", was, is, c.dir)
	case was != nil && c.dir == response && c.is.has("array"):
		c.schemas(c.where, c.path+"[]", was, map[string]any{}, c.dir)
	case is != nil && c.dir == request && c.was.has("array"):
		c.schemas(c.where, c.path+"[]", map[string]any{}, is, c.dir)
	}
}

// unread are keywords that allow or forbid values. Their changes are reported without a closer comparison.
var unread = []string{"not", "if", "then", "else", "contains", "minContains", "maxContains", "dependentRequired",
	"dependentSchemas", "propertyNames", "patternProperties", "prefixItems", "unevaluatedProperties",
	"unevaluatedItems", "contentEncoding", "contentMediaType", "discriminator"}

// others reports changes of keywords that are not compared.
func (c apiCompared) others() {
	for _, word := range unread {
		was, is := c.was.words[word], c.is.words[word]
		if was == nil && is == nil {
			continue
		}
		if !c.spend(1 + (len(keyOf(was))+len(keyOf(is)))/8) {
			return
		}
		if !reflect.DeepEqual(was, is) {
			c.say(Dangerous, "keyword-changed", "has another %s, and what that means is not compared", word)
		}
	}
}
