package record

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/store"
)

// maxLive is the max number of visible events of a running step.
const maxLive = 1000

// liveEvents are the visible events of a run that are not final yet.
type liveEvents struct {
	asked atomic.Bool   // set by the goroutine that watches the clock
	stale bool          // there is new output since the last call of show
	shown []store.Event // the stored events; their IDs follow the IDs of the settled events
}

// askToShow asks the parse stage to show its events after the current piece.
func (s *session) askToShow() {
	s.live.asked.Store(true)
	wake := newPiece(capture.Combined, nil, 1)
	select {
	case s.parseStage.in <- wake:
	default: // the stage is busy and will see the flag
		wake.done()
	}
}

// show stores the live events of the run, at most maxLive of them. These are settled events that are not stored yet,
// and the parsers' events of unfinished steps. show does not change the final events of the run.
func (s *session) show() {
	if !s.live.stale || s.failure() != nil {
		return
	}
	s.live.stale = false
	events := slices.Clone(s.events[:min(maxLive, len(s.events))])
	for _, stream := range streams {
		if p := s.parsers[stream]; p != nil {
			for _, e := range p.SoFar(maxLive - len(events)) {
				e.Stream = eventStream(string(stream))
				events = append(events, e)
			}
		}
	}
	s.hideEvents(events)
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
	// If this fails, the next batch still stores the events.
	if err := s.w.Store.SetLive(context.Background(), s.run.Attempt, first+same, events[same:]); err == nil {
		s.live.shown = events
	} else {
		s.live.shown = nil
	}
}
