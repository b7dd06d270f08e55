package parse

import (
	"sort"

	"github.com/blq-ci/blq/store"
)

// SoFar returns up to limit events of the current step, in the order of the log. The events come from messages in a
// tool's own syntax, and from crashes of programs. Their IDs follow the IDs of the emitted events. The events are not
// final: the end of the step may merge, drop and add events. The parser emits the final events at the end of the step.
// The caller owns the slice.
func (p *Parser) SoFar(limit int) []store.Event { return p.scan.soFar(limit) }

func (s *Scan) soFar(most int) []store.Event {
	var known []*Draft
	for _, d := range s.step.drafts {
		if !d.Merged && (d.Weight == Certain || d.Weight == Died) && (d.Message != "" || d.Test != "") {
			known = append(known, d)
		}
	}
	sort.SliceStable(known, func(i, j int) bool { return known[i].LogLine < known[j].LogLine })
	known = known[:min(most, len(known))]
	events := make([]store.Event, len(known))
	for i, d := range known {
		events[i] = s.patterned(s.event(d))
		events[i].ID = s.emitted + i + 1
	}
	return events
}
