package questions

import "github.com/blq-ci/blq/query"

// These lists of positional parameters are used by several questions.
var (
	byNode  = []string{"ref_id"}
	byKinds = []string{"kinds"}
)

// These questions belong to toolsets, but CI steps ask them, too.
var (
	Facts = New(Row{
		Name: "facts", About: "List the facts of a commit: the files of its documentation, manifests, graph and contracts",
		Tool: "find", Access: ofDocs, Command: "facts show", Positional: byKinds,
	}, (*query.Asker).Facts)

	syncCheck = New(Row{
		Name: "sync_check", About: "Documents that do not follow their code",
		Tool: "sync_check", Access: ofGraph, Command: "graph sync", Positional: byNode,
	}, (*query.Asker).SyncCheck)

	Attested = New(Row{
		Name: "attested", About: "Which stale pairs of documents and code somebody said to fit",
		Tool: "sync_check", Access: ofGraph,
	}, (*query.Asker).Attested)

	lint = New(Row{
		Name: "lint", About: "Check the rules of the architecture",
		Tool: "lint", Access: ofGraph, Command: "lint",
	}, (*query.Asker).Lint)

	RealmCheck = New(Row{
		Name: "realm_check", About: "Check the contracts and bindings of this repository's domains",
		Tool: "realm_check", Access: ofRealm, Command: "realm check",
	}, (*query.Asker).RealmCheck)
)
