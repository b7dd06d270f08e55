package mcp

import "slices"

// ToolNames returns the names of all tools of a configuration, also of those
// that it disables, in the order in which they are listed.
func ToolNames(c Config) []string {
	var names []string
	for _, t := range allTools(c) {
		names = append(names, t.name)
	}
	return names
}

// Toolsets returns the names of the sets of tools.
func Toolsets() []string { return slices.Clone(toolsets) }
