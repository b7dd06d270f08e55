package record

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/store"
)

// maxLive bounds how many events of a running step are shown.
const maxLive = 1000

// liveEvents are the events that are shown of a run before they are settled.
type liveEvents struct {
	asked atomic.Bool   // set by the goroutine that watches the clock
	stale bool          // there was new output since the last show
	shown []store.Event // as stored; their IDs follow the IDs of the settled events
}

// askToShow asks the parse stage to show what it knows after its current piece.
func (s *session) askToShow() {
	s.live.asked.Store(true)
	wake := newPiece(capture.Combined, nil, 1)
	select {
	case s.parseStage.in <- wake:
	default: // the stage is busy and sees the flag after its next piece
		wake.done()
	}
}

// show stores the events of the run so far: settled events that are not stored yet, and the parser's events of steps
// that still run. It does not change the final result.
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
	// If this fails, the events are still stored with the next batch.
	if err := s.w.Store.SetLive(context.Background(), s.run.Attempt, first+same, events[same:]); err == nil {
		s.live.shown = events
	} else {
		s.live.shown = nil
	}
}
