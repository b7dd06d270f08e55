package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"
)

// atOnce is how many requests of a client are worked on at the same time.
const atOnce = 32

// stream serves one client whose messages come one after the other. The
// library's own servers would drop requests that the input's end overtakes, and
// read messages of any length.
type stream struct {
	Config
	requests context.Context // its end ends all requests
	stopped  <-chan struct{} // closed when no more requests are to begin

	writing sync.Mutex
	send    func(message []byte) error
	lost    chan struct{} // closed when the client does not listen any longer
	lose    func()

	open sync.WaitGroup // requests
	free chan struct{}

	mu      sync.Mutex
	running map[*running]bool
}

// running is a request that is being answered.
type running struct {
	id     []byte
	cancel context.CancelFunc
}

func newStream(c Config, requests context.Context, stopped <-chan struct{}, send func([]byte) error) *stream {
	s := &stream{Config: c, requests: requests, stopped: stopped, send: send,
		lost: make(chan struct{}), free: make(chan struct{}, atOnce), running: map[*running]bool{}}
	s.lose = sync.OnceFunc(func() { close(s.lost) })
	return s
}

// take answers a message, a request beside others.
func (s *stream) take(ctx context.Context, m message) {
	switch {
	case m.isResponse(): // to a ping at most
	case !m.isNotification():
		s.begin(ctx, m)
	case *m.Method == "notifications/cancelled":
		s.cancel(m)
	}
}

// begin has a request answered as soon as there is room for it.
func (s *stream) begin(ctx context.Context, m message) {
	select {
	case s.free <- struct{}{}:
	case <-s.lost:
		return
	case <-s.stopped:
		return
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(s.requests, cancel)
	r := &running{m.ID, cancel}
	s.mu.Lock()
	s.running[r] = true
	s.mu.Unlock()
	answer := func() {
		defer func() {
			s.mu.Lock()
			delete(s.running, r)
			s.mu.Unlock()
			stop()
			cancel()
			<-s.free
		}()
		s.ask(ctx, m, s.write)
	}
	if *m.Method == "subscriptions/listen" {
		go answer() // which nobody waits for, as it goes on until the client is gone
		return
	}
	s.open.Go(answer)
}

// cancel ends a request that the client does not want any longer.
func (s *stream) cancel(m message) {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.Params, &params) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.running {
		if bytes.Equal(r.id, params.RequestID) {
			r.cancel()
		}
	}
}

// finish waits for the requests that are being answered, as long as there is
// somebody to answer.
func (s *stream) finish(ctx context.Context, max time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, max)
	defer cancel()
	done := make(chan struct{})
	go func() { s.open.Wait(); close(done) }()
	select {
	case <-done:
	case <-s.lost:
	case <-ctx.Done():
	}
}

// write sends a message.
func (s *stream) write(message []byte) {
	s.writing.Lock()
	defer s.writing.Unlock()
	select {
	case <-s.lost:
		return
	default:
	}
	if err := s.send(message); err != nil {
		s.lose()
	}
}

// close says that nothing can be sent any longer, and returns when nothing is.
func (s *stream) close() {
	s.lose()
	s.writing.Lock()
	defer s.writing.Unlock()
}
