//go:build !job

package questions

import "github.com/blq-ci/blq/query"

// flagsOfDocs maps parameters to command-line flags. It has only flags whose names differ from the parameters' names.
var flagsOfDocs = map[string]string{
	"headingsOnly": "headings", "contextMode": "context", "linePadding": "lines", "maxResults": "limit",
}

// Several rows use these lists of positional parameters. The compiler initializes such package variables, so they cost
// no time when the program starts.
var (
	bySource = []string{"source"}

	byState    = []string{"state"}
	byContract = []string{"domain", "contract"}
)

// These are the questions about documentation.
var (
	Find = New(Row{
		Name: "find", About: "Search documentation, or return the lines that citations name",
		Tool: "find", Access: ofDocs, Command: "docs find", Positional: []string{"query"}, Flags: flagsOfDocs,
	}, (*query.Asker).Find)

	DocsGet = New(Row{
		Name: "docs_get", About: "Show the lines that citations name: of documents, source files and logs",
		Tool: "find", Access: ofDocs, Command: "docs get", Positional: []string{"snippets"}, Flags: flagsOfDocs,
	}, (*query.Asker).DocsGet)

	docsToc = New(Row{
		Name: "docs_toc", About: "Show the documents of a source, or the headings of a document",
		Tool: "find", Access: ofDocs, Command: "docs toc", Positional: bySource,
	}, (*query.Asker).DocsToc)

	docsDiff = New(Row{
		Name: "docs_diff", About: "Compare the sections of two versions of a source",
		Tool: "find", Access: ofDocs, Command: "docs diff", Positional: bySource,
	}, (*query.Asker).DocsDiff)

	ListSources = New(Row{
		Name: "list-sources", About: "List documentation: the project's own, what was added, and what the registry has",
		Tool: "list-sources", Access: ofDocs, Command: "docs list", Positional: []string{"filter"},
	}, (*query.Asker).ListSources)

	SourceAdd = New(Row{
		Name: "source-add", About: "Fetch documentation from a URL or the registry, and add it as a source",
		Tool: "source-add", Access: toDocs, Command: "docs add", Positional: []string{"alias", "url"},
	}, (*query.Asker).SourceAdd)

	docsRefresh = New(Row{
		Name: "docs_refresh", About: "Fetch a source again, or all; earlier versions stay citable",
		Tool: "source-add", Access: toDocs, Command: "docs refresh", Positional: bySource,
	}, (*query.Asker).DocsRefresh)

	docsRemove = New(Row{
		Name: "docs_remove", About: "Remove a source with all of its versions",
		Tool: "source-add", Access: toDocs, Command: "docs remove", Positional: bySource,
	}, (*query.Asker).DocsRemove)

	docsCommand = New(Row{
		Name: "run-command", About: "Read-only maintenance of documentation: stats, history, list, validate, inspect, schema",
		Tool: "run-command", Access: ofDocs, Command: "docs command", Positional: []string{"command"},
	}, (*query.Asker).DocsCommand)

	docsLearn = New(Row{
		Name: "learn-blz", About: "Show how the tools of documentation are used",
		Tool: "learn-blz", Access: ofDocs, Command: "docs learn",
	}, (*query.Asker).DocsLearn)
)
