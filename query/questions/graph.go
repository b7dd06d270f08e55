//go:build !job

package questions

import "github.com/blq-ci/blq/query"

// These are the questions about the architecture.
var (
	getContext = New(Row{
		Name: "get_context", About: "Nodes with neighbours, documents, symbols, rules, findings",
		Tool: "get_context", Access: ofGraph, Command: "graph context", Positional: byNode,
	}, (*query.Asker).GetContext)

	GetGraph = New(Row{
		Name: "get_graph", About: "The graph, or what is around nodes",
		Tool: "get_graph", Access: ofGraph, Command: "graph show", Positional: byNode,
		Flags: map[string]string{"max_nodes": "limit"},
	}, (*query.Asker).GetGraph)

	listNodes = New(Row{
		Name: "list_nodes", About: "List nodes",
		Tool: "list_nodes", Access: ofGraph, Command: "graph list", Positional: []string{"kind"},
	}, (*query.Asker).ListNodes)

	SearchGraph = New(Row{
		Name: "search", About: "Search nodes by their words, documents and symbols",
		Tool: "search", Access: ofGraph, Command: "graph search", Positional: []string{"query"},
	}, (*query.Asker).SearchGraph)

	getStatus = New(Row{
		Name: "get_status", About: "Count what the graph is made of",
		Tool: "get_status", Access: ofGraph, Command: "graph status",
	}, (*query.Asker).GetGraphStatus)

	markSynced = New(Row{
		Name: "mark_synced", About: "Note that documents fit their code",
		Tool: "mark_synced", Access: attests, Command: "graph mark-synced", Positional: byNode,
	}, (*query.Asker).MarkSynced)

	updateNode = New(Row{
		Name: "update_node", About: "Change the summary or source of a node, or return a patch",
		Tool: "update_node", Access: toGraph, Command: "graph update", Positional: byNode,
	}, (*query.Asker).UpdateNode)

	generateDocs = New(Row{
		Name: "generate_docs", About: "Data to write documentation from",
		Tool: "generate_docs", Access: ofGraph, Command: "graph docs", Positional: byNode,
	}, (*query.Asker).GenerateDocs)

	prime = New(Row{
		Name: "prime", About: "Begin here: builds, architecture, rules, violations, stale documents",
		Tool: "prime", Access: ofGraph, Command: "graph prime",
	}, (*query.Asker).Prime)

	why = New(Row{
		Name: "why", About: "Who owns a node, file or failing event, what it depends on, what depends on it",
		Tool: "why", Access: ofGraph, Command: "why", Positional: byNode,
	}, (*query.Asker).Why)

	graphDiff = New(Row{
		Name: "graph_diff", About: "Compare the graph with that of an earlier commit",
		Tool: "diff", Access: ofLogs, Command: "graph diff", Positional: []string{"since"},
	}, (*query.Asker).GraphDiff)
)
