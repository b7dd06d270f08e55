//go:build !job

package questions

// ofToolsets returns the questions of the toolsets docs, graph and realm. It also returns PostSummary and Export, which
// the program for jobs does not have.
func ofToolsets() []Row {
	return []Row{
		PostSummary.Row,
		Export.Row,
		Find.Row, DocsGet.Row, docsToc.Row, docsDiff.Row, Facts.Row, ListSources.Row, SourceAdd.Row,
		docsRefresh.Row, docsRemove.Row,
		docsCommand.Row, docsLearn.Row,
		prime.Row, getContext.Row, GetGraph.Row, listNodes.Row, SearchGraph.Row, why.Row, lint.Row, syncCheck.Row,
		Attested.Row,
		getStatus.Row, updateNode.Row, markSynced.Row, generateDocs.Row, graphDiff.Row,
		RealmStatus.Row, RealmCheck.Row, ContractGet.Row, SessionStart.Row, SessionStop.Row, WorktreeCreate.Row,
		PRStatus.Row, Notifications.Row,
	}
}
