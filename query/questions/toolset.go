package questions

import "slices"

// Toolset is a set of tools that a server may be limited to.
type Toolset struct {
	Name  string
	About string // what its tools do, in one sentence
}

// Toolsets returns all toolsets, in the order of the list.
func Toolsets() []Toolset {
	return []Toolset{
		{"run", "Runs commands and says how they went."},
		{"ask", "Answers questions about runs."},
		{"registry", "Lists and changes the registered commands."},
		{"clean", "Removes runs."},
	}
}

// ToolsetNames returns the names of all toolsets.
func ToolsetNames() []string {
	var names []string
	for _, t := range Toolsets() {
		names = append(names, t.Name)
	}
	return slices.Clip(names)
}
