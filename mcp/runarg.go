package mcp

import "cmp"

// runArg names a run by its serial or by a reference. The schema asks for a number, but agents also pass references
// from answers.
type runArg string

// or returns the reference of a run: the argument ref if it is set, and otherwise the run that r names.
func (r runArg) or(ref string) string { return cmp.Or(ref, string(r)) }
