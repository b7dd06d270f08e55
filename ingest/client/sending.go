package client

import (
	"context"
)

// Sending is a run that a Pusher follows in the background.
type Sending struct {
	ended, done chan struct{}
	cancel      context.CancelFunc
	sent        Pushed
	err         error
}

// Begin sends a run in the background until Finish is called.
func (p *Pusher) Begin(attempt string) *Sending {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Sending{ended: make(chan struct{}), done: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(s.done)
		s.sent, s.err = p.follow(ctx, attempt, s.ended)
	}()
	return s
}

// Finish must be called after the end of the run is stored. It waits until the service has everything or ctx is done,
// and returns what was sent.
func (s *Sending) Finish(ctx context.Context) (Pushed, error) {
	close(s.ended)
	select {
	case <-s.done:
	case <-ctx.Done():
	}
	s.cancel()
	<-s.done // returns at once, because follow ends with its context
	return s.sent, s.err
}
