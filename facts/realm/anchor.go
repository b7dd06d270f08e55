package realm

import (
	"fmt"
	"sync"
)

// document is a JSON Schema with the schemas that it names by anchors.
type document struct {
	root    any
	anchors func() map[string]within // nil if the document contains other documents
}

func newDocument(root any) document {
	return document{root, sync.OnceValue(func() map[string]within {
		all := map[string]within{}
		if !anchorsIn(root, "", all) {
			return nil
		}
		return all
	})}
}

// anchorsIn adds the anchors of a schema and of the schemas inside of it. It returns false if an inner schema has an
// $id. Such an inner schema is a document of its own, with its own anchors.
func anchorsIn(schema any, pointer string, all map[string]within) bool {
	object, _ := schema.(map[string]any)
	if _, other := object["$id"].(string); other && pointer != "" {
		return false
	}
	for _, word := range []string{"$anchor", "$dynamicAnchor"} {
		if name, ok := object[word].(string); ok {
			all[name] = within{pointer, schema}
		}
	}
	for _, s := range schemasIn(object) {
		if !anchorsIn(s.schema, pointer+s.pointer, all) {
			return false
		}
	}
	return true
}

// anchor returns the schema with an anchor, and its pointer.
func (d document) anchor(name, ref string) (schema any, pointer string, err error) {
	all := d.anchors()
	if all == nil {
		return nil, "", fmt.Errorf("%w: $ref %q to an anchor, in a schema with several $id", errUnsupported, ref)
	}
	found, ok := all[name]
	if !ok {
		return nil, "", fmt.Errorf("$ref %q means nothing in the schema", ref)
	}
	return found.schema, found.pointer, nil
}

// refersTo are the keywords that refer to a schema. Within one document, $dynamicRef means the same as $ref.
var refersTo = []string{"$ref", "$dynamicRef"}

// refOf returns the reference of a schema. If the schema has both keywords of refersTo, $ref is returned.
func refOf(object map[string]any) (ref string, refers bool) {
	for _, word := range refersTo {
		if ref, refers = object[word].(string); refers {
			return ref, true
		}
	}
	return "", false
}
