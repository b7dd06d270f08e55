//go:build job

package query

// Summaries posts nothing in jobs: action/report writes their comment.
type Summaries interface{}
