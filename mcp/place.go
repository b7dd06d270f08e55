package mcp

import (
	"cmp"

	"github.com/blq-ci/blq/query"
)

// Place is the part of an input that selects runs by where they happened.
type Place struct {
	Branch string `json:"branch,omitempty" jsonschema:"branch"`
	Commit string `json:"commit,omitempty" jsonschema:"commit"`
	PR     int    `json:"pr,omitempty" jsonschema:"pull request" min:"1"`
	Repo   string `json:"repo,omitempty" jsonschema:"owner/name" hosted:"true"`
}

func (p Place) at() query.At {
	return query.At{Repo: p.Repo, Branch: p.Branch, Commit: p.Commit, PR: p.PR}
}

// runArg names a run by its serial or by a reference. It is a number in the
// contract, and answers hold references.
type runArg string

// or returns the run, or what else names it.
func (r runArg) or(ref string) string { return cmp.Or(ref, string(r)) }
