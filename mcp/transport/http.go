package transport

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// HTTPConfig configures who may call over HTTP, and how.
type HTTPConfig struct {
	// Origins are the origins of pages that may call, such as https://ci.example.com. Pages of this machine may always
	// call.
	Origins []string
	// Hosts are further names that requests over loopback may use, beside those of loopback. AnyHost allows all, for a
	// server behind a reverse proxy on the same machine.
	Hosts   []string
	AnyHost bool
	// KeepAlive is the time between pings on an idle stream of events; 0 means 15 s.
	KeepAlive time.Duration
	// Principal returns the caller of a request, so that no caller can send into the stream of another. It is nil if
	// there is one user.
	Principal func(context.Context) string
}

// These are the paths that are served.
const (
	pathMCP     = "/mcp"
	pathSSE     = "/sse"
	pathMessage = "/message"
)

// Handler serves /mcp, and /sse with /message for older clients.
type Handler struct {
	Config
	http       HTTPConfig
	streamable *server.StreamableHTTPServer
	sse        *server.SSEServer
	secret     []byte // ties sessions to their principals
	stopping   context.Context
	stop       context.CancelFunc
}

// NewHandler returns the handler of a server.
func NewHandler(c Config, h HTTPConfig) *Handler {
	handler := &Handler{Config: c.withDefaults(), http: h, secret: newSecret()}
	handler.stopping, handler.stop = context.WithCancel(context.Background())
	handler.streamable = server.NewStreamableHTTPServer(c.Server,
		server.WithStateLess(true), server.WithDisableStreaming(true),
		server.WithDisableLocalhostProtection(true), // admit checks it for all paths
		server.WithStreamableHTTPLogger(handler.Log))
	handler.sse = server.NewSSEServer(c.Server,
		server.WithSSEEndpoint(pathSSE), server.WithMessageEndpoint(pathMessage),
		server.WithKeepAliveInterval(cmp.Or(h.KeepAlive, 15*time.Second)),
		server.WithSSEDisableLocalhostProtection(true),
		server.WithSessionIDGenerator(handler.newSession))
	return handler
}

// Close ends the streams of events, and stops waiting for messages that have not arrived, because the server is
// about to stop.
func (h *Handler) Close() {
	h.stop()
	h.sse.CloseSessions()
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := &answerWriter{ResponseWriter: w, request: r, explained: h.explained}
	defer httpserver.Recover(h.Log, r, func(error) {
		if !a.began {
			write(a, http.StatusInternalServerError, refuse(nil, Internal))
		}
	})
	h.bound(w, r)
	httpserver.Handler(func(w http.ResponseWriter, r *http.Request) error {
		if err := h.admit(r); err != nil || preflight(w, r) {
			return err
		}
		httpserver.Handler(h.serve).Render(deny).ServeHTTP(a, r)
		return nil
	}).Render(deny).ServeHTTP(w, r) // not through a, which lets pages read its answers
}

// serve serves a request that no page or a trusted page has made.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	switch strings.TrimSuffix(r.URL.Path, "/") {
	case pathMCP:
		return h.post(w, r, h.streamable)
	case pathMessage:
		return h.post(w, r, httpserver.Handler(h.message).Render(deny))
	case pathSSE:
		return h.listen(w, r)
	}
	return store.Errorf(store.NotFound, "nothing is served at this path: POST MCP messages to /mcp; older clients open a stream with GET /sse")
}

// bound sets the deadline of an answer. A stream has none, even on a connection that served something else before.
func (h *Handler) bound(w http.ResponseWriter, r *http.Request) {
	until := time.Now().Add(h.Timeout)
	if strings.TrimSuffix(r.URL.Path, "/") == pathSSE {
		until = time.Time{}
	}
	_ = http.NewResponseController(w).SetWriteDeadline(until) // not all writers have deadlines
}

// post checks a message and passes it on.
func (h *Handler) post(w http.ResponseWriter, r *http.Request, serve http.Handler) error {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return store.Errorf(httpserver.MethodNotAllowed, "this path takes POST only: sessions and standalone streams are not part of this server")
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return store.Errorf(httpserver.UnsupportedType, "send the message with Content-Type: application/json")
	}
	text, err := h.body(w, r)
	if err != nil {
		return err
	}
	m, bad := read(text)
	if bad != nil {
		write(w, statusOf(r, *bad), refuse(m.ID, *bad))
		return nil
	}
	if m.isNotification() && *m.Method == string(sdk.MethodNotificationCancelled) && serve == http.Handler(h.streamable) {
		// Without sessions the library would cancel any request with that number. A client cancels by closing its
		// connection.
		w.WriteHeader(http.StatusAccepted)
		return nil
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	serve.ServeHTTP(w, r)
	return nil
}

// body reads a message. TooLarge, Timeout or Invalid: it did not arrive whole.
func (h *Handler) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	over := h.hurry(w)
	text, err := httpserver.ReadBody(w, r, int64(h.MaxBytes))
	over(err == nil)
	switch code := store.CodeOf(err); code {
	case "":
		return text, err
	case store.TooLarge:
		return nil, store.Errorf(code, "%s", h.tooLarge().Message)
	case httpserver.Timeout:
		return nil, store.Errorf(code, "the message did not arrive in time")
	default:
		return nil, store.Errorf(code, "the message did not arrive whole")
	}
}

// lastMoment is how long a message may take to arrive when the server stops.
const lastMoment = time.Second

// hurry sets the deadline for a message to arrive. It becomes short when the server stops. The caller calls over
// at the end; after a message that did not arrive whole, the server does not wait for the rest.
func (h *Handler) hurry(w http.ResponseWriter) (over func(whole bool)) {
	control := http.NewResponseController(w)
	var mu sync.Mutex
	done := false
	until := func(t time.Time) { _ = control.SetReadDeadline(t) } // not all writers have deadlines
	until(time.Now().Add(h.Timeout / 4))
	forget := context.AfterFunc(h.stopping, func() {
		mu.Lock()
		defer mu.Unlock()
		if !done {
			until(time.Now().Add(lastMoment))
		}
	})
	return func(whole bool) {
		forget()
		mu.Lock()
		defer mu.Unlock()
		done = true
		if whole {
			until(time.Time{})
		}
	}
}

func (c Config) tooLarge() Error {
	return *invalid("the message is larger than %d bytes, which no tool needs: send less", c.MaxBytes)
}

// statusOf returns the HTTP status of a refused message. Clients of earlier revisions expect the errors of a
// method with status 200.
func statusOf(r *http.Request, e Error) int {
	if e.Code == sdk.INVALID_PARAMS && !sdk.IsModernProtocol(r.Header.Get(sdk.HeaderProtocolVersion)) {
		return http.StatusOK
	}
	return http.StatusBadRequest
}

// deny answers a request that is not served.
func deny(w http.ResponseWriter, _ *http.Request, status int, p httpserver.Problem) {
	e := *invalid("%s", p.Message)
	if p.Code == store.Invalid { // the message did not arrive whole
		e.Code = sdk.PARSE_ERROR
	}
	write(w, status, refuse(nil, e))
}

// write writes an answer with a message.
func write(w http.ResponseWriter, status int, message []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(message) // the client may have gone away
}
