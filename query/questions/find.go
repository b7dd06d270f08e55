package questions

import "slices"

// Find returns the row with the given name. It returns false if there is no such row.
func (t Table) Find(name string) (Row, bool) {
	return t.first(func(r Row) bool { return r.Name == name })
}

// FindTool returns the row of the tool with the given name. It returns false if there is no such tool.
func (t Table) FindTool(tool string) (Row, bool) {
	return t.first(func(r Row) bool { return r.Tool == tool })
}

func (t Table) first(is func(Row) bool) (Row, bool) {
	if i := slices.IndexFunc(t, is); i >= 0 {
		return t[i], true
	}
	return Row{}, false
}

// Tools returns the rows of tools, in the order of the list.
func (t Table) Tools() Table {
	var tools Table
	for _, r := range t {
		if _, seen := tools.FindTool(r.Tool); !seen {
			tools = append(tools, r)
		}
	}
	return tools
}
