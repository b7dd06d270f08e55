package questions

import "slices"

// Offer says which tools a server offers. A caller also needs the scope that a
// row names, which is decided for each call.
type Offer struct {
	Toolsets []string // only the tools of these sets, nil for all
	Disabled []string // names of tools that are not offered
	SafeMode bool     // only tools of the safe classes
	Has      Needs    // what the server has
}

// safe are the classes of safe mode: a server in it adds runs, and changes
// nothing else.
var safe = []Class{Read, Annotate, Propose, Execute}

// IsSafe reports whether the row is offered in safe mode.
func (r Row) IsSafe() bool { return slices.Contains(safe, r.Class) }

// Verdict says whether a tool is offered, or why it is not.
type Verdict int

// The verdicts.
const (
	Offered      Verdict = iota
	Impossible           // the server lacks what the tool needs
	Disabled             // somebody disabled it by name
	Unsafe               // its class is not one of safe mode
	OtherToolset         // it is in no toolset that is wanted
)

// Of decides whether the tool of a name, which a row stands for, is offered.
func (o Offer) Of(tool string, r Row) Verdict {
	switch {
	case r.Needs > o.Has:
		return Impossible
	case slices.Contains(o.Disabled, tool):
		return Disabled
	case o.SafeMode && !r.IsSafe():
		return Unsafe
	case len(o.Toolsets) > 0 && !slices.Contains(o.Toolsets, r.Toolset):
		return OtherToolset
	}
	return Offered
}
