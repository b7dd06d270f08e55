package mcp

import (
	"slices"

	"github.com/blq-ci/blq/query/questions"
)

// written are the tools with a file of their own. The table of questions says
// in which order they are listed.
func written() []tool {
	return []tool{
		triageTool, summarizeTool, runTool, execTool,
		queryTool, eventsTool, inspectTool, outputTool, statusTool, infoTool, historyTool, diffTool,
		commandsTool, registerTool, unregisterTool, cleanTool,
	}
}

// allTools returns the tools in the order in which they are listed: those that
// have a file, and those that are made from the row of a question.
func allTools(c Config) []tool {
	rows := c.Questions
	if rows == nil {
		rows = questions.All()
	}
	if c.CompatLQ {
		return lqTools(rows)
	}
	files := written()
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
