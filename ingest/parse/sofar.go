package parse

import (
	"cmp"
	"slices"

	"github.com/blq-ci/blq/store"
)

// SoFar returns what is known of the step that goes on, at most so many events,
// in the order of the log: what the tools say in their own syntax, and programs
// that died. They are numbered on from those that were handed out. Nothing of it
// is settled: the step's end may merge, drop and add, and then all of its events
// are handed out. What it returns is the caller's.
func (p *Parser) SoFar(most int) []store.Event { return p.scan.soFar(most) }

func (s *Scan) soFar(most int) []store.Event {
	var known []*Draft
	for _, d := range s.step.drafts {
		if !d.Merged && (d.Weight == Certain || d.Weight == Died) && (d.Message != "" || d.Test != "") {
			known = append(known, d)
		}
	}
	slices.SortStableFunc(known, func(a, b *Draft) int { return cmp.Compare(a.LogLine, b.LogLine) })
	known = known[:min(most, len(known))]
	events := make([]store.Event, len(known))
	for i, d := range known {
		events[i] = d.event(s.paths)
		events[i].ID = s.emitted + i + 1
	}
	return events
}
