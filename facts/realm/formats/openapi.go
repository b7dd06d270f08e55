//go:build !job

package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// openAPI is a description in OpenAPI 3.0, 3.1, or Swagger 2.0.
type openAPI struct {
	root  map[string]any
	paths map[string]apiPath // paths by their template without the names of parameters
	order []string
	old   bool // Swagger 2.0
	// beside is set if keywords beside $ref apply, as in OpenAPI 3.1 and later.
	beside bool
}

type apiPath struct {
	template string
	item     map[string]any
}

// readOpenAPI reads a description as JSON.
func readOpenAPI(text []byte) (*openAPI, error) {
	d := &openAPI{paths: map[string]apiPath{}}
	read := json.NewDecoder(bytes.NewReader(text))
	read.UseNumber()
	if err := read.Decode(&d.root); err != nil {
		return nil, errors.New("a description is a mapping")
	}
	version, _ := d.root["openapi"].(string)
	swagger, _ := d.root["swagger"].(string)
	switch {
	case strings.HasPrefix(version, "3."):
		d.beside = !strings.HasPrefix(version, "3.0")
	case swagger == "2.0":
		d.old = true
	default:
		return nil, errors.New("openapi has to be 3.0 or 3.1 (or swagger 2.0)")
	}
	if err := local(d.root); err != nil {
		return nil, err
	}
	if ref := d.missing(d.root); ref != "" {
		return nil, fmt.Errorf("$ref %.100q means nothing in the document", ref)
	}
	items := object(d.root["paths"])
	for _, path := range slices.Sorted(maps.Keys(items)) {
		if strings.Count(path, "{") > maxParts {
			return nil, fmt.Errorf("path %.100s has more than %d parameters", path, maxParts)
		}
		key, _ := template(path)
		if _, twice := d.paths[key]; twice {
			return nil, fmt.Errorf("path %s is described twice", path)
		}
		d.paths[key] = apiPath{path, object(d.follow(items[path]))}
		d.order = append(d.order, key)
	}
	return d, nil
}

// template returns a path without the names of its parameters, and the names.
func template(path string) (key string, names []string) {
	for {
		before, rest, found := strings.Cut(path, "{")
		name, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			return key + path, names
		}
		key, names, path = key+before+"{}", append(names, name), after
	}
}

// local returns an error if a value refers to another document.
func local(v any) error {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok && !strings.HasPrefix(ref, "#") {
			return fmt.Errorf("$ref %.100q is outside of the contract, and is not followed; "+
				"bundle the files into one", ref)
		}
		for _, e := range v {
			if err := local(e); err != nil {
				return err
			}
		}
	case []any:
		for _, e := range v {
			if err := local(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// missing returns the first reference to a part that the document does not have, or "" if there is none. It skips
// examples and extensions (x-), because they are data.
func (d *openAPI) missing(v any) string {
	switch v := v.(type) {
	case map[string]any:
		if ref := reference(v); strings.HasPrefix(ref, "#/") && d.at(ref) == nil {
			return ref
		}
		for _, word := range slices.Sorted(maps.Keys(v)) {
			if word == "example" || word == "examples" || strings.HasPrefix(word, "x-") {
				continue
			}
			if ref := d.missing(v[word]); ref != "" {
				return ref
			}
		}
	case []any:
		for _, e := range v {
			if ref := d.missing(e); ref != "" {
				return ref
			}
		}
	}
	return ""
}

// reference returns the target of a value's $ref, or "" if there is none.
func reference(v any) string { return text(object(v)["$ref"]) }

// pure returns the target of a schema's $ref, or "" if the schema has no $ref or also has other keywords. Descriptions
// do not count as keywords. Before OpenAPI 3.1, no keyword next to $ref counts.
func (d *openAPI) pure(v any) string {
	ref := reference(v)
	if d.beside {
		for word := range object(v) {
			if word != "$ref" && word != "description" && word != "summary" {
				return ""
			}
		}
	}
	return ref
}

// says returns the value of a schema's keyword, or nil if there is none. It searches the schema, the target of its
// $ref, and the schemas in its allOf.
func (d *openAPI) says(schema any, word string) any {
	own := object(schema)
	if v, ok := own[word]; ok && (d.beside || own["$ref"] == nil) {
		return v
	}
	own = object(d.follow(schema))
	if v, ok := own[word]; ok {
		return v
	}
	for _, part := range array(own["allOf"]) {
		if v, ok := object(d.follow(part))[word]; ok {
			return v
		}
	}
	return nil
}

// follow follows references and returns the final value. It returns nil if a target is missing, or if the chain of
// references is too long.
func (d *openAPI) follow(v any) any {
	for range 20 {
		ref := reference(v)
		if ref == "" {
			return v
		}
		v = d.at(ref)
	}
	return nil
}

// at returns the value at a JSON pointer in the document, or nil if there is none.
func (d *openAPI) at(ref string) any {
	var v any = d.root
	if plain, err := url.PathUnescape(ref); err == nil {
		ref = plain
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		if m := object(v); m != nil {
			v = m[part]
		} else if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(array(v)) {
			v = array(v)[i]
		} else {
			return nil
		}
	}
	return v
}

// parameters returns the parameters of an operation, without its body. The keys of byName have a parameter's location
// and name. For a path parameter, they have its position instead of its name. order lists the keys.
func (d *openAPI) parameters(p apiPath, operation map[string]any) (byName map[string]map[string]any, order []string) {
	byName = map[string]map[string]any{}
	_, positions := template(p.template)
	for _, list := range [][]any{array(p.item["parameters"]), array(operation["parameters"])} {
		for _, v := range list {
			one := object(d.follow(v))
			in, name := text(one["in"]), text(one["name"])
			if in == "body" || in == "formData" || name == "" {
				continue
			}
			key := in + " parameter '" + name + "'"
			if i := slices.Index(positions, name); in == "path" && i >= 0 {
				key = fmt.Sprintf("path parameter %d", i+1)
			} else if in == "header" {
				key = strings.ToLower(key)
			}
			if byName[key] == nil {
				order = append(order, key)
			}
			byName[key] = one
		}
	}
	return byName, order
}

// schemaOf returns the schema of a parameter or a header. In Swagger 2.0, the parameter or header itself is the schema.
func (d *openAPI) schemaOf(of map[string]any) any {
	if schema, ok := of["schema"]; ok {
		return schema
	}
	for _, media := range object(of["content"]) {
		return object(media)["schema"]
	}
	if d.old {
		return any(of)
	}
	return nil
}

// body returns the request schemas of an operation by media type, or nil if there is none. In Swagger 2, the only key
// is "". required reports whether a request must have a body.
func (d *openAPI) body(p apiPath, operation map[string]any) (content map[string]any, required bool) {
	if !d.old {
		body := object(d.follow(operation["requestBody"]))
		if body == nil {
			return nil, false
		}
		return d.content(body), body["required"] == true
	}
	form := map[string]any{}
	var needed []any
	for _, v := range slices.Concat(array(p.item["parameters"]), array(operation["parameters"])) {
		one := object(d.follow(v))
		switch {
		case text(one["in"]) == "body":
			return map[string]any{"": one["schema"]}, one["required"] == true
		case text(one["in"]) == "formData":
			form[text(one["name"])] = one
			if one["required"] == true {
				needed = append(needed, one["name"])
			}
		}
	}
	if len(form) == 0 {
		return nil, false
	}
	schema := map[string]any{"type": "object", "properties": form, "required": needed}
	return map[string]any{"": schema}, len(needed) > 0
}

// content returns the schemas of a body or a response by media type.
func (d *openAPI) content(of map[string]any) map[string]any {
	schemas := map[string]any{}
	if d.old {
		if schema, ok := of["schema"]; ok {
			schemas[""] = schema
		}
		return schemas
	}
	for name, media := range object(of["content"]) {
		name, _, _ = strings.Cut(strings.ToLower(name), ";")
		schemas[name] = object(media)["schema"]
	}
	return schemas
}

// security returns the alternative security requirements of an operation. Each requirement maps schemes to scopes.
func (d *openAPI) security(operation map[string]any) []map[string]any {
	list, said := operation["security"]
	if !said {
		list = d.root["security"]
	}
	var all []map[string]any
	for _, v := range array(list) {
		all = append(all, object(v))
	}
	return all
}
