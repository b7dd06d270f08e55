package questions

import "slices"

// Offer decides which tools a server offers. A caller also needs the scope of the row, which is checked at each
// call.
type Offer struct {
	Toolsets []string // only the tools of these sets, nil for all
	Disabled []string // names of tools that are not offered
	SafeMode bool     // only tools of the safe classes
	Has      Needs    // what the server can provide
	Posts    bool     // it writes to pull requests
}

// safe are the classes of safe mode. A server in safe mode adds runs, and changes nothing else.
var safe = []Class{Read, Annotate, Propose, Execute}

// IsSafe reports whether the row is offered in safe mode.
func (r Row) IsSafe() bool { return slices.Contains(safe, r.Class) && !r.Alters }

// Verdict tells whether a tool is offered, or why it is not.
type Verdict int

// These are the verdicts.
const (
	Offered      Verdict = iota
	Impossible           // the server lacks what the tool needs
	Disabled             // its name is disabled
	Unsafe               // its class is not allowed in safe mode
	OtherToolset         // its toolset is not selected
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
