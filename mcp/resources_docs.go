package mcp

import (
	"slices"

	"github.com/blq-ci/blq/query"
)

// readCitation returns the lines that a citation names.
func readCitation(c *call, path string, query map[string]any) (any, error) {
	query["snippets"] = []any{path}
	return findTool.call(c, query)
}

// sourcesOf returns a function that lists the documentation of a kind.
func sourcesOf(kind string) func(*call, string, map[string]any) (any, error) {
	return func(c *call, _ string, arguments map[string]any) (any, error) {
		out, err := sourcesTool.call(c, arguments)
		list, is := out.(sourcesOut)
		if err != nil || !is {
			return out, err
		}
		list.Sources = slices.DeleteFunc(list.Sources, func(s query.Source) bool { return s.Kind != kind })
		return list, nil
	}
}
