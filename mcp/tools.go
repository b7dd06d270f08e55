package mcp

// allTools are the tools in the order in which they are listed.
func allTools(c Config) []tool {
	if c.CompatLQ {
		return lqTools()
	}
	list := []tool{
		triageTool, summarizeTool, runTool, execTool,
		queryTool, eventsTool, inspectTool, outputTool, statusTool, infoTool, historyTool, diffTool,
		commandsTool, registerTool, unregisterTool, cleanTool,
	}
	return list
}
