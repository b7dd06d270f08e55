package transport

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The library decodes a long message again, in the same turn. A handler begins after the turn, because it may need a
// turn of its own.
func TestTheLibraryDecodesInTheTurnOfAMessage(t *testing.T) {
	t.Parallel()
	turns := 0
	handled := -1
	see := func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			handled = turns
			return next(ctx, method, r)
		}
	}
	s := NewServer(&sdk.Implementation{Name: "x", Version: "1"}, sdk.ServerOptions{}, nil, see)
	h := NewHandler(Config{Server: s, MaxBytes: 1 << 20}, HTTPConfig{Turn: func(context.Context) (func(), error) {
		turns++
		return func() { turns-- }, nil
	}})
	defer h.Close()
	library, decoded := h.streamable, -1
	h.streamable = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		decoded = turns
		library.ServeHTTP(w, r)
	})
	r := httptest.NewRequest("POST", "http://127.0.0.1/mcp", io.MultiReader(
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), strings.NewReader(strings.Repeat(" ", 64<<10))))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusOK || decoded != 1 || handled != 0 || turns != 0 {
		t.Errorf("%d turns in the library, %d in the handler, %d afterwards: %d %s", decoded, handled, turns, w.Code,
			w.Body)
	}
}
