package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
)

// atOnce is the max number of requests of one client that run at the same time.
const atOnce = 32

// stream serves one client over one connection. The library's own servers drop open requests at the end of the input,
// and read messages of any length. stream answers all open requests, and limits the length of messages.
type stream struct {
	Config
	requests context.Context // when this context ends, all requests end
	stopped  <-chan struct{} // is closed when no more requests may begin

	writing sync.Mutex
	send    func(message []byte) error
	lost    chan struct{} // is closed when the client does not read any more
	lose    func()

	open sync.WaitGroup // counts open requests
	free chan struct{}

	mu      sync.Mutex
	running map[*running]bool
}

// running is a request that has no answer yet.
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

// take handles a message. Requests run in parallel.
func (s *stream) take(ctx context.Context, m message) {
	switch {
	case m.isResponse(): // the message may be the answer to a ping
	case !m.isNotification():
		s.begin(ctx, m)
	case *m.Method == "notifications/cancelled":
		s.cancel(m)
	}
}

// begin starts a request as soon as fewer than atOnce requests run. It gives up if ctx or the stream ends first.
func (s *stream) begin(ctx context.Context, m message) {
	select {
	case s.free <- struct{}{}:
	case <-ctx.Done():
		return
	case <-s.lost:
		return
	case <-s.stopped:
		return
	}
	ctx, release := httpserver.Detach(ctx)
	ctx, cancel := context.WithCancel(ctx)
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
			release()
			<-s.free
		}()
		s.ask(ctx, m, s.write)
	}
	if *m.Method == "subscriptions/listen" {
		go answer() // finish does not wait for this answer: it ends when the client disconnects
		return
	}
	s.open.Go(answer)
}

// cancel ends a request that the client has cancelled.
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

// finish waits until all open requests are answered. It stops waiting when the client does not read any more, or after
// the time limit.
func (s *stream) finish(ctx context.Context, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan struct{})
	go func() { s.open.Wait(); close(done) }()
	select {
	case <-done:
	case <-s.lost:
	case <-ctx.Done():
	}
}

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

// close drops all later messages. It returns when the last write has ended.
func (s *stream) close() {
	s.lose()
	s.writing.Lock()
	defer s.writing.Unlock()
}
