//go:build !job

package questions

import "github.com/blq-ci/blq/query"

// These questions are for work in a realm. The program for jobs does not have them.
var (
	SessionStart = New(Row{
		Name: "session_start", About: "Start a session on this repository's contracts, or show the open one",
		Tool: "session_start", Access: ofSession, Command: "realm session start", Positional: byRFC,
		Flags: map[string]string{"active_rfc": "rfc"},
	}, (*query.Asker).SessionStart)

	SessionStop = New(Row{
		Name: "session_stop", About: "End the session, and say what was done in it",
		Tool: "session_stop", Access: ofSession, Command: "realm session stop", Positional: []string{"session_id"},
	}, (*query.Asker).SessionStop)

	WorktreeCreate = New(Row{
		Name: "realm_worktree_create", About: "Make work trees of repositories that share a domain; servers answer a plan",
		Tool: "realm_worktree_create", Access: toWorktrees, Command: "realm worktree", Positional: []string{"rfc"},
	}, (*query.Asker).WorktreeCreate)

	PRStatus = New(Row{
		Name: "realm_pr_status", About: "Show which repositories can be merged, in which order, and why others cannot",
		Tool: "realm_pr_status", Access: ofRealm, Command: "realm pr-status", Positional: []string{"rfc"},
	}, (*query.Asker).PRStatus)
)

// byRFC is the positional parameter of questions about an RFC.
var byRFC = []string{"active_rfc"}
