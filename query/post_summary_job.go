//go:build job

package query

// Summaries has no methods in the program for jobs. In jobs, action/report writes the comment.
type Summaries interface{}
