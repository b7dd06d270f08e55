package questions

import "slices"

// Offer decides which tools a server offers. It does not check Access.Scope, which each call of a tool checks.
type Offer struct {
	Toolsets []string // only tools of these sets, nil for all tools
	Disabled []string // names of tools that are not offered
	SafeMode bool     // only tools of the safe classes
	Has      Needs    // the kind of runner that the server has
	Posts    bool     // the server writes to pull requests
}

// safe holds the classes of tools in safe mode. In safe mode, tools may add data, such as runs and notes. They do not
// change or remove existing data.
var safe = []Class{Read, Annotate, Propose, Execute}

// IsSafe reports whether safe mode allows the row.
func (r Row) IsSafe() bool { return slices.Contains(safe, r.Class) && !r.Alters }

// Verdict is the decision whether a tool is offered. If the tool is not offered, the verdict is the reason.
type Verdict int

// These are the verdicts on whether a server offers a tool.
const (
	Offered      Verdict = iota
	Impossible           // the server lacks the runner or the rights that the tool needs
	Disabled             // the configuration disables the tool's name
	Unsafe               // safe mode does not allow the tool's class
	OtherToolset         // the toolset of the tool is not selected
)

// Of decides whether the tool of a row is offered.
func (o Offer) Of(tool string, r Row) Verdict {
	switch {
	case r.Needs > o.Has, r.Posts && !o.Posts:
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
