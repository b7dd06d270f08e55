package mcp

// allTools are the tools in the order in which they are listed.
func allTools(c Config) []tool {
	list := []tool{queryTool, eventsTool, inspectTool, outputTool, statusTool, infoTool, historyTool, diffTool, triageTool, summarizeTool}
	return list
}
