package mcp

import "cmp"

// runArg names a run by its serial or by a reference. The schema asks for a number, but answers have references.
type runArg string

// or returns the reference of the run, or ref if the argument is missing.
func (r runArg) or(ref string) string { return cmp.Or(ref, string(r)) }
