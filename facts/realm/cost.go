package realm

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// maxApplied is the max number of schemas that are applied to a value and the values inside of it. More would take
// seconds.
const maxApplied = 5_000_000

// errUnsupported is the error for a schema that is not checked. The schema may be valid.
var errUnsupported = errors.New("not checked")

// errLoop is the error for a schema that refers to itself without end.
var errLoop = errors.New("it refers to itself without end")

// applied is a schema, and the depth of the values to which it is applied.
type applied struct {
	pointer string // JSON pointer
	depth   int
}

// cost estimates the number of schemas that are applied along one path through a value. The number may grow
// exponentially with the size of the schema. So it is estimated before the check starts.
type cost struct {
	root  document
	long  float64 // bytes of the longest string in the value
	known map[applied]float64
	open  map[applied]bool
}

// checkCost returns errUnsupported if the check of a value may take too long, and errLoop if the check would not end.
// It also returns an error if a reference in the schema leads to no schema.
func checkCost(schema, value any) error {
	values, depth, long := sizeOf(value)
	c := cost{root: newDocument(schema), long: float64(long), known: map[applied]float64{}, open: map[applied]bool{}}
	n, err := c.of(schema, "", depth)
	if err != nil {
		return err
	}
	if n*float64(values) > maxApplied {
		return fmt.Errorf("%w: it would take too long", errUnsupported)
	}
	return nil
}

// sizeOf returns the size of a value: the number of values in it, including the value itself; its depth; and the length
// in bytes of its longest string or member name.
func sizeOf(value any) (values, depth, long int) {
	values = 1
	add := func(v any) {
		n, d, l := sizeOf(v)
		values, depth, long = values+n, max(depth, d+1), max(long, l)
	}
	switch v := value.(type) {
	case string:
		long = len(v)
	case map[string]any:
		for name, e := range v {
			long = max(long, len(name))
			add(e)
		}
	case []any:
		for _, e := range v {
			add(e)
		}
	}
	return values, depth, long
}

// of returns the cost of a schema for values of the given depth.
func (c *cost) of(schema any, pointer string, depth int) (float64, error) {
	object, ok := schema.(map[string]any)
	if !ok {
		return 1, nil // true, false, or an error that another check reports
	}
	key := applied{pointer, depth}
	if n, ok := c.known[key]; ok {
		return n, nil
	}
	if c.open[key] {
		return 0, errLoop
	}
	if len(c.known) > maxApplied/100 {
		return 0, fmt.Errorf("%w: it is too large", errUnsupported)
	}
	c.open[key] = true
	defer delete(c.open, key)
	here, err := c.inPlace(object, pointer, depth)
	if err != nil {
		return 0, err
	}
	below := 0.0
	if depth > 0 {
		if below, err = c.below(object, pointer, depth-1); err != nil {
			return 0, err
		}
	}
	c.known[key] = 1 + here + below + c.itself(object)
	return c.known[key], nil
}

// itself returns the cost of keywords without schemas: comparing listed values, and matching patterns.
func (c *cost) itself(object map[string]any) float64 {
	n := 0
	for _, word := range []string{"enum", "required"} {
		list, _ := object[word].([]any)
		n += len(list)
	}
	patterns, _ := object["patternProperties"].(map[string]any)
	matched := len(patterns)
	if _, ok := object["pattern"].(string); ok {
		matched++
	}
	return float64(n) + float64(matched)*(1+c.long/100)
}

// These are the keywords with schemas. inPlaceWords apply to the value itself. eitherWords and alsoWords apply to the
// elements or properties of the value, or to the names of the properties. Only one schema of each of eitherWords
// applies to an element. Several schemas of alsoWords may apply to the same element.
var (
	inPlaceWords = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"}
	eitherWords  = []string{"properties", "prefixItems"}
	alsoWords    = []string{"patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames", "items",
		"additionalItems", "contains", "unevaluatedItems"}
	// manyWords are the keywords that map names to schemas.
	manyWords = map[string]bool{"properties": true, "patternProperties": true, "dependentSchemas": true,
		"dependencies": true, "$defs": true, "definitions": true}
)

// inPlace returns the cost of the schemas that are applied to the same value.
func (c *cost) inPlace(object map[string]any, pointer string, depth int) (sum float64, err error) {
	if _, ok := object["$recursiveRef"]; ok {
		return 0, fmt.Errorf("%w: $recursiveRef", errUnsupported)
	}
	if _, ok := object["$id"].(string); ok && pointer != "" {
		return 0, fmt.Errorf("%w: $id within a schema", errUnsupported)
	}
	for _, word := range refersTo {
		ref, ok := object[word].(string)
		if !ok {
			continue
		}
		target, at, err := c.root.resolve(ref)
		if err != nil {
			return 0, err
		}
		n, err := c.of(target, at, depth)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	for _, word := range inPlaceWords {
		all, err := c.each(object, word, pointer, depth)
		if err != nil {
			return 0, err
		}
		for _, n := range all {
			sum += n
		}
	}
	return sum, nil
}

// below returns the cost of the schemas that apply to one element or property of the value.
func (c *cost) below(object map[string]any, pointer string, depth int) (sum float64, err error) {
	for _, word := range alsoWords {
		all, err := c.each(object, word, pointer, depth)
		if err != nil {
			return 0, err
		}
		for _, n := range all {
			sum += n
		}
	}
	for _, word := range eitherWords {
		all, err := c.each(object, word, pointer, depth)
		if err != nil {
			return 0, err
		}
		largest := 0.0
		for _, n := range all {
			largest = max(largest, n)
		}
		sum += largest
	}
	return sum, nil
}

// each returns the costs of a keyword's schemas.
func (c *cost) each(object map[string]any, word, pointer string, depth int) (all []float64, err error) {
	for _, s := range schemasOf(object, word) {
		n, err := c.of(s.schema, pointer+s.pointer, depth)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// escape returns a key as part of a JSON pointer.
func escape(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// resolve returns the schema that a reference points to, and the JSON pointer to the schema. A reference to another
// document is an error.
func (d document) resolve(ref string) (schema any, pointer string, err error) {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, "", fmt.Errorf("$ref %q is outside of the contract, and is not followed", ref)
	}
	if fragment, err = url.PathUnescape(fragment); err != nil {
		return nil, "", fmt.Errorf("$ref %q is not a reference", ref)
	}
	if fragment != "" && fragment[0] != '/' {
		return d.anchor(fragment, ref)
	}
	schema = d.root
	for word := range strings.SplitSeq(strings.TrimPrefix(fragment, "/"), "/") {
		if fragment == "" {
			break
		}
		word = strings.NewReplacer("~1", "/", "~0", "~").Replace(word)
		switch v := schema.(type) {
		case map[string]any:
			schema, ok = v[word]
		case []any:
			i, err := strconv.Atoi(word)
			if ok = err == nil && i >= 0 && i < len(v); ok {
				schema = v[i]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, "", fmt.Errorf("$ref %q means nothing in the schema", ref)
		}
	}
	return schema, fragment, nil
}
