package transport

import (
	"context"
	"encoding/json"
	"io"
	"runtime/debug"
	"sync"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// atOnce is the max number of requests of a stream that run at the same time.
const atOnce = 32

// stream serves one client over a pair of streams, with one message a line. The library's own server would drop
// open requests at the end of the input, and read lines of any length.
type stream struct {
	Config
	writing sync.Mutex
	out     io.Writer
	lost    chan struct{} // closed when the client no longer reads
	lose    func()
	open    sync.WaitGroup // counts open requests
	free    chan struct{}
	stopped <-chan struct{} // closed when the server has to stop
}

// Stdio serves one client that writes to in and reads from out. It ends when in has ended and all requests are
// answered, or when ctx ends.
func Stdio(ctx context.Context, c Config, in io.Reader, out io.Writer) error {
	s := &stream{Config: c.withDefaults(), out: out, lost: make(chan struct{}), free: make(chan struct{}, atOnce), stopped: ctx.Done()}
	s.lose = sync.OnceFunc(func() { close(s.lost) })
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	quit := make(chan struct{})
	defer close(quit)
	lines, ended := make(chan line), make(chan error, 1)
	go func() { ended <- readLines(in, s.MaxBytes, lines, quit) }()
	for {
		select {
		case l := <-lines:
			s.take(requests, l)
		case err := <-ended:
			s.finish(ctx, s.Timeout)
			return err
		case <-s.lost:
			return nil
		case <-ctx.Done():
			cancel()
			s.finish(context.WithoutCancel(ctx), 5*time.Second)
			return nil
		}
	}
}

// finish waits for open requests, as long as the client reads answers.
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

// take handles a line. Requests run in parallel.
func (s *stream) take(ctx context.Context, l line) {
	if l.long {
		s.write(refuse(nil, s.tooLarge()))
		return
	}
	m, bad := read(l.text)
	switch {
	case bad != nil && m.isNotification() && json.Valid(l.text):
		s.Log.WarnContext(ctx, "bad notification", "error", bad.Message)
	case bad != nil:
		s.write(refuse(m.ID, *bad))
	case m.isResponse(): // perhaps to a ping
	case m.isNotification():
		s.handle(ctx, m, l.text)
	default:
		s.begin(ctx, m, l.text)
	}
}

// begin starts a request when fewer than atOnce are open.
func (s *stream) begin(ctx context.Context, m message, text []byte) {
	select {
	case s.free <- struct{}{}:
	case <-s.lost:
		return
	case <-s.stopped:
		return
	}
	s.open.Go(func() {
		defer func() { <-s.free }()
		s.handle(ctx, m, text)
	})
}

// handle passes a message to the library. It writes notifications of a request before its answer.
func (s *stream) handle(ctx context.Context, m message, text []byte) {
	own := &session{notifications: make(chan sdk.JSONRPCNotification, 100)}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { defer close(stopped); s.forward(own.notifications, stop) }()
	answer := s.answer(s.Server.WithContext(ctx, own), m, text)
	close(stop)
	<-stopped
	if answer != nil {
		s.write(s.explained(answer))
	}
}

func (s *stream) forward(from <-chan sdk.JSONRPCNotification, stop <-chan struct{}) {
	for {
		select {
		case n := <-from:
			s.notify(n)
			continue
		case <-stop:
		}
		for {
			select {
			case n := <-from:
				s.notify(n)
			default:
				return
			}
		}
	}
}

func (s *stream) notify(n sdk.JSONRPCNotification) {
	text, err := json.Marshal(n)
	if err != nil {
		s.Log.Error("write notification", "error", err)
		return
	}
	s.write(text)
}

// answer returns the library's answer, or nil for none.
func (s *stream) answer(ctx context.Context, m message, text []byte) (answer []byte) {
	defer func() {
		if failure := recover(); failure != nil {
			s.Log.ErrorContext(ctx, "panic", "method", *m.Method, "value", failure, "stack", string(debug.Stack()))
			answer = refuse(m.ID, Internal)
		}
	}()
	a := s.Server.HandleMessage(ctx, text)
	if a == nil || m.isNotification() {
		return nil
	}
	written, err := json.Marshal(a)
	if err != nil {
		s.Log.ErrorContext(ctx, "write answer", "method", *m.Method, "error", err)
		return refuse(m.ID, Internal)
	}
	return written
}

func (s *stream) write(message []byte) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if n := len(message); n == 0 || message[n-1] != '\n' {
		message = append(message, '\n')
	}
	if _, err := s.out.Write(message); err != nil {
		s.lose()
	}
}

// session represents the client during one request.
type session struct {
	notifications chan sdk.JSONRPCNotification
}

var _ server.ClientSession = (*session)(nil)

func (s *session) SessionID() string { return "stdio" }
func (s *session) Initialize()       {}
func (s *session) Initialized() bool { return true }

func (s *session) NotificationChannel() chan<- sdk.JSONRPCNotification { return s.notifications }
