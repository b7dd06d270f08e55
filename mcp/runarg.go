package mcp

import "cmp"

// runArg names a run by its serial or by a reference. It is a number in the
// contract, and answers hold references.
type runArg string

// or returns the run, or what else names it.
func (r runArg) or(ref string) string { return cmp.Or(ref, string(r)) }
