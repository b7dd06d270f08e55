//go:build job

package query

// Summaries is empty in the program for jobs. In jobs, action/report writes the comment.
type Summaries interface{}
