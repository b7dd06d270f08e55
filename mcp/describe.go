package mcp

import (
	"reflect"
	"slices"
	"strings"

	"github.com/blq-ci/blq/query/questions"
)

// ToolNames returns the names of all tools of a configuration, including disabled tools, in the order of the tool list.
func ToolNames(c Config) []string {
	var names []string
	for _, t := range allTools(c) {
		names = append(names, t.name)
	}
	return names
}

// Described is a tool in the form that the documents show.
type Described struct {
	Name        string      `json:"name"`
	Toolset     string      `json:"toolset"`
	Unsafe      bool        `json:"unsafe,omitempty"` // the tool is not offered in safe mode
	Description string      `json:"description"`
	Bytes       int         `json:"max_bytes"` // max size of an answer, unless the caller asks for another size
	Parameters  []Parameter `json:"parameters"`
	Answer      []Parameter `json:"answer"` // keys in the answer
}

// Parameter is a parameter of a tool, or a key of an answer.
type Parameter struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Required    bool   `json:"required,omitempty"`
	Default     string `json:"default,omitempty"`
	Description string `json:"description"`
}

// Describe returns the tools of a configuration, in the order of the list.
func Describe(c Config) []Described {
	var list []Described
	for _, t := range allTools(c) {
		d := Described{Name: t.name, Toolset: t.row.Toolset, Unsafe: !t.row.IsSafe(), Description: t.description,
			Bytes: t.answerBytes()}
		for f := range questions.Fields(t.in) {
			if f.Tag.Get("hosted") == "" || c.Hosted {
				d.Parameters = append(d.Parameters, Parameter{
					f.Key, typeName(f.Type), required(f), strings.Trim(f.Tag.Get("default"), `"`), f.Tag.Get("jsonschema"),
				})
			}
		}
		for _, out := range t.shapes {
			for f := range questions.Fields(out) {
				p := Parameter{Name: f.Key, Type: typeName(f.Type), Description: f.Tag.Get("jsonschema")}
				if !slices.ContainsFunc(d.Answer, func(q Parameter) bool { return q.Name == p.Name }) {
					d.Answer = append(d.Answer, p)
				}
			}
		}
		list = append(list, d)
	}
	return list
}

// typeName returns the JSON type of a Go type.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Slice:
		return typeName(t.Elem()) + "[]"
	case reflect.Map, reflect.Struct:
		return "object"
	case reflect.Bool:
		return "boolean"
	case reflect.Interface:
		return "any"
	case reflect.String:
		if t == reflect.TypeFor[runArg]() {
			return "number"
		}
		return "string"
	}
	return "number"
}
