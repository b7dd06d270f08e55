package query

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Step is a call of a tool, ready to be made.
type Step struct {
	Tool      string         `json:"tool" jsonschema:"name of the tool"`
	Arguments map[string]any `json:"arguments" jsonschema:"its arguments"`
	Why       string         `json:"why,omitempty" jsonschema:"what it is for"`
}

// String returns the step as a call: inspect(ref="build:5:1").
func (s Step) String() string {
	var args []string
	for _, key := range slices.SortedFunc(maps.Keys(s.Arguments), refFirst) {
		if text, ok := s.Arguments[key].(string); ok {
			args = append(args, fmt.Sprintf("%s=%q", key, text))
		} else {
			args = append(args, fmt.Sprintf("%s=%v", key, s.Arguments[key]))
		}
	}
	return s.Tool + "(" + strings.Join(args, ", ") + ")"
}

func refFirst(x, y string) int {
	switch {
	case x == y:
		return 0
	case x == "ref" || y != "ref" && x < y:
		return -1
	}
	return 1
}
