//go:build !job

package questions

import "github.com/blq-ci/blq/query"

// PostSummary writes the comment on a pull request. In jobs, action/report writes the comment instead.
var PostSummary = New(Row{
	Name: "post_summary", About: "Write the comment on a pull request, with your note",
	Tool: "post_summary", Access: posts, Command: "ci comment", Positional: []string{"pr"},
}, (*query.Asker).PostSummary)
