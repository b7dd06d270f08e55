package transport_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/mcp/transport"
)

// openStream opens an event stream. It returns the URL for posts, and the lines of the stream.
func openStream(t *testing.T, url string, header http.Header) (string, *bufio.Scanner) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/sse", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	return url + nextEvent(t, lines), lines
}

func nextEvent(t *testing.T, lines *bufio.Scanner) string {
	t.Helper()
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data:"); ok {
			return strings.TrimSpace(data)
		}
	}
	t.Fatalf("the stream ended: %v", lines.Err())
	return ""
}

func TestStreamOfEvents(t *testing.T) {
	t.Parallel()
	h := start(t, transport.NewHandler(config(&log{}, nil), transport.HTTPConfig{}))
	endpoint, events := openStream(t, h.URL, nil)
	for call, want := range map[string]string{
		tool(1, "good"):   "fine",
		tool(1, "panics"): "internal error",
		tool(1, "nosuch"): "-32602",
	} {
		if status, body := send(t, "POST", endpoint, call, nil); status != 202 {
			t.Errorf("%s is taken with %d %s, want 202", call, status, body)
		}
		got := nextEvent(t, events)
		if !strings.Contains(got, want) {
			t.Errorf("%s is answered %s, want %q", call, got, want)
		}
		checkNoLeak(t, got)
	}
}

func TestNobodySendsIntoTheStreamOfAnother(t *testing.T) {
	t.Parallel()
	type who struct{}
	handler := transport.NewHandler(config(&log{}, nil),
		transport.HTTPConfig{Principal: func(ctx context.Context) string { return ctx.Value(who{}).(string) }})
	h := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), who{}, r.Header.Get("Authorization"))))
	}))
	ann, bob := http.Header{"Authorization": {"ann"}}, http.Header{"Authorization": {"bob"}}
	endpoint, events := openStream(t, h.URL, ann)
	if status, body := send(t, "POST", endpoint, ping, bob); status != 404 {
		t.Errorf("another's message is taken with %d %s, want 404", status, body)
	}
	if status, body := send(t, "POST", endpoint, tool(5, "good"), ann); status != 202 {
		t.Errorf("the owner's message is taken with %d %s, want 202", status, body)
	}
	if got := nextEvent(t, events); !strings.Contains(got, `"id":5`) {
		t.Errorf("the stream brought %s, want the owner's answer", got)
	}
}

// Without sessions the library identifies requests only by their number.
func TestNobodyCancelsTheRequestOfAnother(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	h := start(t, transport.NewHandler(config(&log{}, release), transport.HTTPConfig{}))
	answered := make(chan string, 1)
	go func() {
		_, body := send(t, "POST", h.URL+"/mcp", tool(1, "waits"), nil)
		answered <- body
	}()
	release <- struct{}{} // the call has begun
	send(t, "POST", h.URL+"/mcp", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, nil)
	select {
	case release <- struct{}{}:
	case got := <-answered:
		t.Fatalf("the request was cancelled: %s", got)
	}
	if got := <-answered; !strings.Contains(got, "late") {
		t.Errorf("the request was answered %s", got)
	}
}

// A stream has no deadline, even if a message on the same connection had one.
func TestStreamHasNoDeadline(t *testing.T) {
	t.Parallel()
	c := config(&log{}, nil)
	c.Timeout = time.Second
	h := start(t, transport.NewHandler(c, transport.HTTPConfig{KeepAlive: 150 * time.Millisecond}))
	send(t, "POST", h.URL+"/mcp", tool(1, "good"), nil)
	_, events := openStream(t, h.URL, nil)
	for range 10 {
		if got := nextEvent(t, events); !strings.Contains(got, "ping") {
			t.Errorf("the stream brought %s", got)
		}
	}
}

func TestOneStreamCarriesManyRequests(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	h := start(t, transport.NewHandler(config(&log{}, release), transport.HTTPConfig{}))
	endpoint, events := openStream(t, h.URL, nil)
	send(t, "POST", endpoint, tool(1, "waits"), nil)
	release <- struct{}{} // the call has begun
	send(t, "POST", endpoint, tool(2, "tells"), nil)
	for range 5 {
		if got := nextEvent(t, events); !strings.Contains(got, "notifications/progress") {
			t.Errorf("the stream brought %s", got)
		}
	}
	if got := nextEvent(t, events); !strings.Contains(got, `"id":2`) {
		t.Errorf("the stream brought %s", got)
	}
	send(t, "POST", endpoint, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, nil)
	if got := nextEvent(t, events); !strings.Contains(got, `"id":1`) {
		t.Errorf("the stream brought %s", got)
	}
}

func TestAStreamIsWholeForAClientThatPostsAtOnce(t *testing.T) {
	t.Parallel()
	h := start(t, transport.NewHandler(config(&log{}, nil), transport.HTTPConfig{}))
	for range 300 {
		endpoint, events := openStream(t, h.URL, nil)
		send(t, "POST", endpoint, tool(1, "good"), nil)
		if got := nextEvent(t, events); !strings.Contains(got, "fine") {
			t.Fatalf("the stream brought %s", got)
		}
		send(t, "POST", endpoint, tool(2, "good"), nil)
		if got := nextEvent(t, events); !strings.Contains(got, `"id":2`) {
			t.Fatalf("the stream brought %s", got)
		}
	}
}

// watched serves a handler with limited memory.
func watched(t *testing.T, h http.Handler, memory *fair.Share) *httptest.Server {
	t.Helper()
	return start(t, httpserver.Watch{Memory: memory}.Handler(h))
}

// A message for a stream is accepted at once and answered later. Its memory counts as used until then.
func TestAMessageHoldsItsMemoryUntilItsAnswer(t *testing.T) {
	t.Parallel()
	release, memory := make(chan struct{}), fair.NewShare(64<<20)
	h := watched(t, transport.NewHandler(config(&log{}, release), transport.HTTPConfig{}), memory)
	endpoint, events := openStream(t, h.URL, nil)
	call := strings.Replace(tool(1, "waits"), `"name"`, `"x":"`+strings.Repeat("y", 1<<20)+`","name"`, 1)
	if status, body := send(t, "POST", endpoint, call, nil); status != 202 {
		t.Fatalf("%d %s", status, body)
	}
	release <- struct{}{} // the call has begun
	if got := memory.Used(); got < 1<<20 {
		t.Errorf("a message at work holds %d bytes", got)
	}
	release <- struct{}{}
	nextEvent(t, events)
	for memory.Used() > 0 { // wait until the call has ended
		runtime.Gosched()
	}
}

// If atOnce requests of a client already run, the client's next message has to wait. If the client disconnects
// meanwhile, the HTTP request with this message ends.
func TestAMessageDoesNotWaitWithoutItsClient(t *testing.T) {
	t.Parallel()
	release, began, ended := make(chan struct{}), make(chan struct{}, 100), make(chan struct{}, 100)
	handler := transport.NewHandler(config(&log{}, release), transport.HTTPConfig{})
	h := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began <- struct{}{}
		handler.ServeHTTP(w, r)
		ended <- struct{}{}
	}))
	endpoint, _ := openStream(t, h.URL, nil)
	<-began
	for i := range 32 {
		send(t, "POST", endpoint, tool(i, "waits"), nil)
		<-began
		<-ended
	}
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", endpoint, strings.NewReader(tool(99, "waits")))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	gone := make(chan error)
	go func() {
		res, err := http.DefaultClient.Do(r)
		if err == nil {
			res.Body.Close()
		}
		gone <- err
	}()
	<-began
	leave()
	if err := <-gone; err == nil {
		t.Error("the message was taken")
	}
	<-ended
}
