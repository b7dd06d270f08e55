package transport

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// session is the event stream of an older client.
type session struct {
	*stream
	principal string // caller who opened the stream
}

// ping is sent on an idle stream. The server ignores the client's answer.
const ping = `{"jsonrpc":"2.0","id":"ping","method":"ping"}`

// listen opens the event stream of an older client.
func (h *Handler) listen(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		return store.Errorf(httpserver.MethodNotAllowed,
			"/sse takes GET only: it opens a stream, which names where to POST; clients of today POST to /mcp")
	}
	requests, cancel := context.WithCancel(r.Context())
	defer cancel()
	send := func(kind, data string) error {
		control := http.NewResponseController(w)
		_ = control.SetWriteDeadline(time.Now().Add(h.Timeout)) // if the connection has no deadlines, there is no limit
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data); err != nil {
			return err
		}
		return control.Flush()
	}
	s := session{newStream(h.Config, requests, requests.Done(), func(message []byte) error {
		return send("message", string(bytes.TrimSpace(message)))
	}), h.principal(r.Context())}
	defer s.close()
	id := rand.Text()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	h.sessions.Store(id, s)
	defer h.sessions.Delete(id)
	s.writing.Lock() // the client may answer before send returns
	err := send("endpoint", pathMessage+"?sessionId="+id)
	s.writing.Unlock()
	if err != nil {
		return nil // the client has disconnected
	}
	idle := time.NewTicker(cmp.Or(h.http.KeepAlive, 15*time.Second))
	defer idle.Stop()
	for {
		select {
		case <-idle.C:
			s.write([]byte(ping))
		case <-s.lost:
			return nil
		case <-requests.Done():
			return nil
		case <-h.stopping.Done():
			return nil
		}
	}
}

// message accepts a client's message for an open stream.
func (h *Handler) message(w http.ResponseWriter, r *http.Request, m message) error {
	v, _ := h.sessions.Load(r.URL.Query().Get("sessionId"))
	s, open := v.(session)
	if !open || s.principal != h.principal(r.Context()) {
		return store.Errorf(
			store.NotFound, "there is no such session: open a stream with GET /sse, which names where to POST")
	}
	s.take(r.Context(), m)
	w.WriteHeader(http.StatusAccepted)
	return nil
}

// principal returns the principal of a request. It returns "" if there is only one caller.
func (h *Handler) principal(ctx context.Context) string {
	if h.http.Principal == nil {
		return ""
	}
	return h.http.Principal(ctx)
}
