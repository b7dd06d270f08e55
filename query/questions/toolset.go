package questions

import "slices"

// Toolset is a set of tools. A server may offer all toolsets or only some.
type Toolset struct {
	Name  string
	About string // one sentence about the tools
}

// Realm is the toolset of contracts between repositories.
const Realm = "realm"

// OfFacts reports whether the row asks about facts of commits. A repository may have such facts before it has runs.
func (r Row) OfFacts() bool {
	return r.Toolset == "docs" || r.Toolset == Realm || r.Toolset == "graph" || r.Name == "graph_diff"
}

// Toolsets returns all toolsets, in the order of the list.
func Toolsets() []Toolset {
	return []Toolset{
		{"run", "Runs commands and says how they went."},
		{"ask", "Answers questions about runs."},
		{"registry", "Lists and changes the registered commands."},
		{"clean", "Removes runs."},
		{"docs", "Searches documentation, and returns lines of it with citations."},
		{"graph", "Says how the code is built up: nodes, what depends on what, rules, and what a change puts at risk."},
		{Realm, "Shows and checks contracts between repositories."},
	}
}

// setsOfRuns returns the toolsets in the group runs.
func setsOfRuns() []string { return []string{"run", "ask", "registry", "clean"} }

// GroupNames returns the names of groups of toolsets.
func GroupNames() []string { return []string{"runs", "all"} }

// Expand replaces each group name by the names of the group's toolsets.
func Expand(names []string) []string {
	var list []string
	for _, name := range names {
		switch name {
		case "all":
			list = append(list, ToolsetNames()...)
		case "runs":
			list = append(list, setsOfRuns()...)
		default:
			list = append(list, name)
		}
	}
	return list
}

// ToolsetNames returns the names of all toolsets.
func ToolsetNames() []string {
	var names []string
	for _, t := range Toolsets() {
		names = append(names, t.Name)
	}
	return slices.Clip(names)
}
