package mcp

// allTools are the tools in the order in which they are listed.
func allTools(c Config) []tool {
	list := []tool{eventsTool, statusTool}
	return list
}
