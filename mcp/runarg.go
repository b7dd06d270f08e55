package mcp

import "cmp"

// runArg names a run by its serial or by a reference. The schema asks for a number, but agents also pass references
// from answers.
type runArg string

// or returns the argument's reference of the run. If the argument is missing, it returns ref.
func (r runArg) or(ref string) string { return cmp.Or(ref, string(r)) }
