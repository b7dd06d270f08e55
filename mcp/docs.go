package mcp

import (
	"cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type findIn struct {
	query.FindParams
	Budget
}

type findOut struct {
	query.Found
	Truncation
	in findIn
}

func (o *findOut) parts() []part {
	more := func(what string) func(n, total int) []query.Omission {
		return func(n, total int) []query.Omission {
			return omitted(n, total, what, callLike("find", o.in, "max_bytes", maxBytes))
		}
	}
	hits, snippets := len(o.Hits), len(o.Snippets)
	return []part{
		list(&o.Hits, func(n int) []query.Omission { return more("hits")(n, hits) }),
		list(&o.Snippets, func(n int) []query.Omission { return more("snippets")(n, snippets) }),
	}
}

// snippetShare limits the text of snippets to 2/snippetShare of an answer. The rest is a reserve, because some
// characters become two characters in JSON.
const snippetShare = 3

var findTool = newTool(spec{
	name: "find",
	description: `Search docs (query, source) or read lines (snippets). ` +
		`Example: find(query="test runner", source="docs").`,
}, func(c *call, in findIn) (findOut, error) {
	p := in.FindParams
	p.SnippetBytes = max(leastBytes, (c.bytes-frameBytes)*2/snippetShare) / max(1, len(p.Snippets))
	found, err := c.Asker.Find(c, p)
	return findOut{Found: found, in: in}, err
})

type sourcesIn struct {
	query.ListSourcesParams
	Budget
}

type sourcesOut struct {
	query.SourceList
	Truncation
	in sourcesIn
}

func (o *sourcesOut) parts() []part {
	total := len(o.Sources)
	return []part{list(&o.Sources, func(n int) []query.Omission {
		return omitted(n, total, "sources", callLike("list-sources", o.in, "max_bytes", maxBytes))
	})}
}

var sourcesTool = newTool(spec{
	name: "list-sources", description: `Aliases for find.`, call: `list-sources(filter="react")`,
}, func(c *call, in sourcesIn) (sourcesOut, error) {
	list, err := c.Asker.ListSources(c, in.ListSourcesParams)
	return sourcesOut{SourceList: list, in: in}, err
})

var sourceAddTool = newTool(spec{
	name: "source-add", description: `Add documentation. Example: source-add(alias="bun").`,
}, func(c *call, in query.SourceAddParams) (query.SourceAdded, error) { return c.Asker.SourceAdd(c, in) })

// commandIn holds the parameters of query.DocsCommandParams, but not the commit. Agents name a commit only in find and
// list-sources.
type commandIn struct {
	Command string `json:"command" jsonschema:"stats, history, list, validate, inspect, schema"`
	Source  string `json:"source,omitempty" jsonschema:"alias"`
	Repo    string `json:"repo,omitempty" jsonschema:"owner/name" hosted:"true"`
}

var docsCommandTool = newTool(spec{
	name: "run-command", description: `Upkeep of docs, read-only.`, call: `run-command(command="stats")`,
}, func(c *call, in commandIn) (query.CommandOutput, error) {
	return c.Asker.DocsCommand(c, query.DocsCommandParams{Command: in.Command, Source: in.Source,
		DocsAt: query.DocsAt{Repo: in.Repo}})
})

var learnTool = newTool(spec{
	name: "learn-blz", description: `How to use the docs tools.`, call: `learn-blz()`,
}, func(c *call, in query.LearnParams) (query.Lesson, error) { return c.Asker.DocsLearn(c, in) })

// These are the JSON-RPC error codes of the documentation tools.
const (
	rpcNotFound  = -32000
	rpcConflict  = -32001
	rpcMalformed = -32002
	rpcFailed    = -32010
	rpcInvalid   = -32602
)

var rpcCodes = map[store.Code]int64{
	store.NotFound: rpcNotFound, store.Conflict: rpcConflict, store.Malformed: rpcMalformed, store.Invalid: rpcInvalid,
}

// rpcCode returns the JSON-RPC error code for the code of a documentation tool's error.
func rpcCode(code store.Code) int64 { return cmp.Or(rpcCodes[code], rpcFailed) }
