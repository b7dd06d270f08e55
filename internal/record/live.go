package record

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/store"
)

// mostLive bounds what showing the events of a running step costs.
const mostLive = 1000

// liveEvents is what is shown of a run before it is settled.
type liveEvents struct {
	asked atomic.Bool   // by whom watches the clock
	stale bool          // there was output since
	shown []store.Event // numbered on from the last settled one
}

// askToShow has the parse stage show what it knows, as soon as it may.
func (s *session) askToShow() {
	s.live.asked.Store(true)
	wake := newPiece(capture.Combined, nil, 1)
	select {
	case s.parseStage.in <- wake:
	default: // it is awake
		wake.done()
	}
}

// show stores what is known of the run so far: events that are settled but not
// stored yet, and those of the steps that go on. It takes no part in the result.
func (s *session) show() {
	if !s.live.stale || s.failure() != nil {
		return
	}
	s.live.stale = false
	events := slices.Clone(s.events[:min(mostLive, len(s.events))])
	for _, stream := range streams {
		if p := s.parsers[stream]; p != nil {
			for _, e := range p.SoFar(mostLive - len(events)) {
				e.Stream = eventStream(string(stream))
				events = append(events, e)
			}
		}
	}
	first := s.last - len(s.events) + 1
	same := 0
	for i := range events {
		events[i].ID = first + i
		if same == i && i < len(s.live.shown) && s.live.shown[i] == events[i] {
			same++
		}
	}
	if same == len(events) && same == len(s.live.shown) {
		return
	}
	// What is not shown now comes with the batches.
	if err := s.w.Store.SetLive(context.Background(), s.run.Attempt, first+same, events[same:]); err == nil {
		s.live.shown = events
	} else {
		s.live.shown = nil
	}
}
