package mcp

import (
	"slices"

	"github.com/blq-ci/blq/query/questions"
)

// written returns the tools that have a file of their own, in any order. allTools sorts them.
func written() []tool {
	return []tool{
		triageTool, summarizeTool, runTool, execTool, cancelTool,
		queryTool, eventsTool, inspectTool, outputTool, statusTool, infoTool, historyTool, diffTool,
		commandsTool, registerTool, unregisterTool, cleanTool,
		findTool, sourcesTool, sourceAddTool, docsCommandTool, learnTool,
		realmStatusTool, realmCheckTool, contractGetTool, notificationsTool,
	}
}

// allTools returns all tools in the order of the tool list. If a tool has no file of its own, it is made from the row
// of a question.
func allTools(c Config) []tool {
	rows := c.Questions
	if rows == nil {
		rows = questions.All()
	}
	if c.CompatLQ {
		return lqTools(rows)
	}
	files := written()
	if len(c.Toolsets) == 0 || slices.Contains(c.Toolsets, graphToolset) {
		files[slices.IndexFunc(files, func(t tool) bool { return t.name == diffTool.name })] = diffBothTool
	}
	var list []tool
	for _, row := range rows.Tools() {
		i := slices.IndexFunc(files, func(t tool) bool { return t.name == row.Tool })
		switch {
		case i >= 0:
			files[i].row = row
			list = append(list, files[i])
		case row.IsQuestion():
			list = append(list, fromRow(row))
		}
	}
	return list
}
