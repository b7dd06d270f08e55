package transport

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// HTTPConfig configures who may call over HTTP, and how.
type HTTPConfig struct {
	// Origins are the origins of pages that may call the server, such as https://ci.example.com. Pages of this machine
	// may always call it.
	Origins []string
	// Hosts holds host names for requests over the loopback interface, in addition to names such as localhost. AnyHost
	// allows all host names. Use AnyHost if a reverse proxy runs on the same machine.
	Hosts   []string
	AnyHost bool
	// KeepAlive is the time between pings on an idle event stream; 0 means 15 s.
	KeepAlive time.Duration
	// Principal returns the caller of a request. It prevents a caller from sending messages into the stream of another
	// caller. nil means that there is only one caller.
	Principal func(context.Context) string
	// Turn waits until the caller of a request may begin to decode a long message, because decoding takes CPU time. If
	// Turn is nil, nobody waits.
	Turn func(context.Context) (leave func(), err error)
}

// These are the paths that Handler serves.
const (
	pathMCP     = "/mcp"
	pathSSE     = "/sse"
	pathMessage = "/message"
)

// Handler serves /mcp. For older clients, it also serves /sse and /message.
type Handler struct {
	Config
	http       HTTPConfig
	streamable http.Handler
	sessions   sync.Map // open streams of older clients, by ID
	stopping   context.Context
	stop       context.CancelFunc
}

// NewHandler returns the handler of a server.
func NewHandler(c Config, h HTTPConfig) *Handler {
	handler := &Handler{Config: c.withDefaults(), http: h}
	handler.stopping, handler.stop = context.WithCancel(context.Background())
	handler.streamable = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return c.Server.Server },
		&sdk.StreamableHTTPOptions{
			Stateless: true, DisableLocalhostProtection: true, // admit makes this check for all paths
			MaxRequestBodyBytes: -1, // body makes this check for all paths
		})
	return handler
}

// Close ends the event streams. It also stops waiting for messages that have not arrived completely. Call Close before
// the server stops.
func (h *Handler) Close() { h.stop() }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, caller := from(r.Context())
	r = r.WithContext(ctx)
	a := &answerWriter{ResponseWriter: w, request: r, caller: caller, timeout: h.Timeout}
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
	}).Render(deny).ServeHTTP(w, r) // use w and not a, because pages of other sites must not read refusals
}

// serve serves a request that admit has accepted.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	switch strings.TrimSuffix(r.URL.Path, "/") {
	case pathMCP:
		return h.post(w, r, h.call)
	case pathMessage:
		return h.post(w, r, h.message)
	case pathSSE:
		return h.listen(w, r)
	}
	return store.Errorf(store.NotFound,
		"nothing is served at this path: POST MCP messages to /mcp; older clients open a stream with GET /sse")
}

// bound sets the deadline for an answer. A stream has no deadline, even if an earlier request on the same connection
// had one.
func (h *Handler) bound(w http.ResponseWriter, r *http.Request) {
	until := time.Now().Add(h.Timeout)
	if strings.TrimSuffix(r.URL.Path, "/") == pathSSE {
		until = time.Time{}
	}
	_ = http.NewResponseController(w).SetWriteDeadline(until) // if w has no deadlines, there is no limit
}

// post reads and checks a message, and calls the function in its last parameter with the message.
func (h *Handler) post(w http.ResponseWriter, r *http.Request,
	serve func(http.ResponseWriter, *http.Request, message) error) error {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return store.Errorf(httpserver.MethodNotAllowed,
			"this path takes POST only: sessions and standalone streams are not part of this server")
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return store.Errorf(httpserver.UnsupportedType, "send the message with Content-Type: application/json")
	}
	text, err := h.body(w, r)
	if err != nil {
		return err
	}
	leave, err := h.enter(r, text)
	if err != nil {
		return err
	}
	defer leave()
	m, bad, err := h.decode(r.Context(), text)
	if err != nil {
		return err
	}
	if bad != nil {
		write(w, statusOf(r, bad), refuse(m.ID, bad))
		return nil
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	return serve(w, r, m)
}

// longMessage is the min size in bytes of messages that are decoded in turns.
const longMessage = store.LongJSON

type turnKey struct{}

// enter waits for a turn to decode a message, if the message is long. The library decodes it, too, so the turn ends
// when the handler of the method begins (see guard), or with leave.
func (h *Handler) enter(r *http.Request, text []byte) (leave func(), err error) {
	if h.http.Turn == nil || len(text) < longMessage {
		return func() {}, nil
	}
	if leave, err = h.http.Turn(r.Context()); err != nil {
		return nil, err
	}
	leave = sync.OnceFunc(leave)
	*r = *r.WithContext(context.WithValue(r.Context(), turnKey{}, leave))
	return leave, nil
}

// decode reserves memory, and calls read to parse a message.
func (h *Handler) decode(ctx context.Context, text []byte) (m message, bad *jsonrpc.Error, err error) {
	if err := httpserver.HoldJSON(ctx, text, timesDecoded); err != nil {
		return m, nil, err
	}
	m, bad = read(text)
	return m, bad, nil
}

// timesDecoded is the number of decoded copies of a message in memory. The checks decode a message twice, and the
// library and the tool each decode it once.
const timesDecoded = 4

// call passes a request to the library. It ignores notifications and responses, because there are no sessions. To
// cancel a request, a client closes the connection.
func (h *Handler) call(w http.ResponseWriter, r *http.Request, m message) error {
	if m.isResponse() || m.isNotification() {
		w.WriteHeader(http.StatusAccepted)
		return nil
	}
	r.Header.Set("Accept", "application/json, text/event-stream") // the library accepts only this value
	if *m.Method == "subscriptions/listen" {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(h.stopping, cancel)()
		r = r.WithContext(ctx)
	}
	h.streamable.ServeHTTP(w, r)
	return nil
}

// body reads a message. TooLarge: the message is too long. Timeout, Invalid, Unavailable: the message was not received
// completely.
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

// lastMoment is the max time for a message to arrive after the server has begun to stop.
const lastMoment = time.Second

// hurry sets the deadline for a message to arrive. When the server stops, the deadline becomes short. The caller must
// call over after reading the message. If the message is incomplete, the argument whole is false, and the server does
// not wait for the missing part.
func (h *Handler) hurry(w http.ResponseWriter) (over func(whole bool)) {
	control := http.NewResponseController(w)
	var mu sync.Mutex
	done := false
	// The error is ignored, because not all writers have deadlines.
	until := func(t time.Time) { _ = control.SetReadDeadline(t) }
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

func (c Config) tooLarge() *jsonrpc.Error {
	return invalid("the message is larger than %d bytes, which no tool needs: send less", c.MaxBytes)
}

// statusOf returns the HTTP status for a refused message. Clients of earlier revisions expect status 200 if the error
// is about the method or its parameters.
func statusOf(r *http.Request, e *jsonrpc.Error) int {
	ofMethod := e.Code == jsonrpc.CodeInvalidParams || e.Code == jsonrpc.CodeMethodNotFound
	switch modern := r.Header.Get("Mcp-Protocol-Version") >= Stateless; {
	case ofMethod && !modern:
		return http.StatusOK
	case e.Code == jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

// deny writes the answer to a request that the server does not serve.
func deny(w http.ResponseWriter, _ *http.Request, status int, p httpserver.Problem) {
	e := invalid("%s", p.Message)
	if p.Code == store.Invalid { // the message did not arrive completely
		e.Code = jsonrpc.CodeParseError
	}
	write(w, status, refuse(nil, e))
}

// write writes a message as the answer.
func write(w http.ResponseWriter, status int, message []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(message) // this fails if the client has disconnected
}
