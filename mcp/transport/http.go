package transport

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// HTTPConfig says who may call over HTTP, and how.
type HTTPConfig struct {
	// Origins are those of pages that may call, such as https://ci.example.com,
	// beside pages of this machine.
	Origins []string
	// Hosts are names that requests over loopback may use, beside those of
	// loopback itself. AnyHost takes all, for a server behind a reverse proxy
	// on the same machine.
	Hosts   []string
	AnyHost bool
	// KeepAlive is the time between pings on an idle stream of events, 0 for
	// 15 s.
	KeepAlive time.Duration
	// Principal returns who a request comes from, so that nobody sends into
	// the stream of somebody else. Nil where there is one user.
	Principal func(context.Context) string
}

// The paths that are served.
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
	secret     []byte // that ties sessions to their principals
	stopping   context.Context
	stop       context.CancelFunc
}

// NewHandler returns the handler of a server.
func NewHandler(c Config, h HTTPConfig) *Handler {
	handler := &Handler{Config: c.withDefaults(), http: h, secret: newSecret()}
	handler.stopping, handler.stop = context.WithCancel(context.Background())
	handler.streamable = server.NewStreamableHTTPServer(c.Server,
		server.WithStateLess(true), server.WithDisableStreaming(true),
		server.WithDisableLocalhostProtection(true), // admitted does it for all paths
		server.WithStreamableHTTPLogger(handler.Log))
	handler.sse = server.NewSSEServer(c.Server,
		server.WithSSEEndpoint(pathSSE), server.WithMessageEndpoint(pathMessage),
		server.WithKeepAliveInterval(cmp.Or(h.KeepAlive, 15*time.Second)),
		server.WithSSEDisableLocalhostProtection(true),
		server.WithSessionIDGenerator(handler.newSession))
	return handler
}

// Close ends the streams of events, and waits no longer for messages that have
// not arrived: the server is about to stop.
func (h *Handler) Close() {
	h.stop()
	h.sse.CloseSessions()
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := &answerWriter{ResponseWriter: w, request: r, explained: h.explained}
	defer h.recover(a, r)
	h.bound(w, r)
	if why := h.admitted(r); why != "" {
		deny(w, http.StatusForbidden, *invalid("%s", why))
		return
	}
	if preflight(w, r) {
		return
	}
	switch strings.TrimSuffix(r.URL.Path, "/") {
	case pathMCP:
		h.post(a, r, h.streamable)
	case pathMessage:
		h.post(a, r, http.HandlerFunc(h.message))
	case pathSSE:
		h.listen(a, r)
	default:
		deny(a, http.StatusNotFound, *invalid("nothing is served at this path: POST MCP messages to /mcp; older clients open a stream with GET /sse"))
	}
}

// bound says until when an answer must be written. A stream has no end, also
// on a connection that served something else before.
func (h *Handler) bound(w http.ResponseWriter, r *http.Request) {
	until := time.Now().Add(h.Timeout)
	if strings.TrimSuffix(r.URL.Path, "/") == pathSSE {
		until = time.Time{}
	}
	_ = http.NewResponseController(w).SetWriteDeadline(until) // not all writers have one
}

// post checks a message and has it served.
func (h *Handler) post(w http.ResponseWriter, r *http.Request, serve http.Handler) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		deny(w, http.StatusMethodNotAllowed, *invalid("this path takes POST only: sessions and standalone streams are not part of this server"))
		return
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		deny(w, http.StatusUnsupportedMediaType, *invalid("send the message with Content-Type: application/json"))
		return
	}
	text, ok := h.body(w, r)
	if !ok {
		return
	}
	m, bad := read(text)
	if bad != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(statusOf(r, *bad))
		_, _ = w.Write(refuse(m.ID, *bad)) // who does not listen is gone
		return
	}
	if m.isNotification() && *m.Method == string(sdk.MethodNotificationCancelled) && serve == http.Handler(h.streamable) {
		// Without sessions the library would cancel whoever's request has that
		// number. A client cancels by closing its connection.
		w.WriteHeader(http.StatusAccepted)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	serve.ServeHTTP(w, r)
}

// body reads a message, which may be neither too large nor too slow.
func (h *Handler) body(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	over := h.hurry(w)
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(h.MaxBytes)))
	over(err == nil)
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return text, true
	case errors.As(err, &large):
		deny(w, http.StatusRequestEntityTooLarge, h.tooLarge())
	case errors.Is(err, os.ErrDeadlineExceeded):
		deny(w, http.StatusRequestTimeout, *invalid("the message did not arrive in time"))
	default:
		deny(w, http.StatusBadRequest, Error{Code: sdk.PARSE_ERROR, Message: "the message did not arrive whole"})
	}
	return nil, false
}

// lastMoment is how long a message may take to arrive when the server stops.
const lastMoment = time.Second

// hurry says until when a message must arrive, which is soon when the server
// stops. The caller says when it is over: of a message that did not arrive
// whole, nothing more is waited for.
func (h *Handler) hurry(w http.ResponseWriter) (over func(whole bool)) {
	control := http.NewResponseController(w)
	var mu sync.Mutex
	done := false
	until := func(t time.Time) { _ = control.SetReadDeadline(t) } // not all writers have one
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

// statusOf returns the status with which a message is refused. Clients of
// earlier revisions read errors of a method from an answer with status 200.
func statusOf(r *http.Request, e Error) int {
	if e.Code == sdk.INVALID_PARAMS && !sdk.IsModernProtocol(r.Header.Get(sdk.HeaderProtocolVersion)) {
		return http.StatusOK
	}
	return http.StatusBadRequest
}

// deny answers a request that is not served.
func deny(w http.ResponseWriter, status int, e Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(refuse(nil, e)) // who does not listen is gone
}

// recover answers when serving a request failed in an unforeseen way.
func (h *Handler) recover(w *answerWriter, r *http.Request) {
	switch failure := recover(); failure {
	case nil:
	case http.ErrAbortHandler:
		panic(failure)
	default:
		h.Log.ErrorContext(r.Context(), "panic", "path", r.URL.Path, "value", failure, "stack", string(debug.Stack()))
		if !w.began {
			deny(w, http.StatusInternalServerError, Internal)
		}
	}
}
