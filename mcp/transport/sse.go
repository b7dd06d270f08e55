package transport

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// listen opens the stream of events of an older client.
func (h *Handler) listen(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		return store.Errorf(httpserver.MethodNotAllowed, "/sse takes GET only: it opens a stream, which names where to POST; clients of today POST to /mcp")
	}
	h.sse.SSEHandler().ServeHTTP(w, r)
	return nil
}

// message takes a message for an open stream.
func (h *Handler) message(w http.ResponseWriter, r *http.Request) error {
	if !h.owns(r.Context(), r.URL.Query().Get("sessionId")) {
		return store.Errorf(store.NotFound, "there is no such session: open a stream with GET /sse, which names where to POST")
	}
	h.sse.MessageHandler().ServeHTTP(w, r)
	return nil
}

func newSecret() []byte { return []byte(rand.Text()) }

// newSession returns the ID of a stream. It proves who opened the stream.
func (h *Handler) newSession(ctx context.Context, _ *http.Request) (string, error) {
	id := rand.Text()
	return id + "-" + h.proof(ctx, id), nil
}

// owns reports whether the caller has opened a stream.
func (h *Handler) owns(ctx context.Context, session string) bool {
	id, proof, _ := strings.Cut(session, "-")
	return hmac.Equal([]byte(proof), []byte(h.proof(ctx, id)))
}

func (h *Handler) proof(ctx context.Context, id string) string {
	mac := hmac.New(sha256.New, h.secret)
	mac.Write([]byte(id))
	if h.http.Principal != nil {
		mac.Write([]byte("\x00" + h.http.Principal(ctx)))
	}
	return hex.EncodeToString(mac.Sum(nil)[:16])
}
