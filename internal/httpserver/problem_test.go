package httpserver_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

func TestEachCodeHasItsStatusAndEachStatusItsCode(t *testing.T) {
	seen := map[int]store.Code{}
	for code, want := range map[store.Code]int{
		store.Invalid: 400, store.Unauthorized: 401, store.Forbidden: 403, store.NotFound: 404,
		httpserver.MethodNotAllowed: 405,
		httpserver.Timeout:          408, store.Conflict: 409, store.TooLarge: 413, httpserver.UnsupportedType: 415,
		store.RateLimited:    429,
		httpserver.Cancelled: 499, httpserver.Internal: 500, store.Unavailable: 503, store.Full: 507,
		store.Malformed: 422, store.Failed: 424,
	} {
		got := httpserver.Status(code)
		if got != want || httpserver.CodeOf(got) != code || seen[got] != "" {
			t.Errorf("%s has status %d, whose code is %q; want %d for it alone", code, got, httpserver.CodeOf(got), want)
		}
		seen[got] = code
	}
	for _, code := range []store.Code{"", "invented"} {
		if got := httpserver.Status(code); got != 500 {
			t.Errorf("code %q has status %d", code, got)
		}
	}
	if got := httpserver.CodeOf(418); got != "" {
		t.Errorf("418 has code %q", got)
	}
}

func TestWhatCallersAreToldOfAnError(t *testing.T) {
	down := store.Hint(store.Errorf(store.Unavailable, "db.internal:5432 does not answer"), "ping db.internal")
	for name, tt := range map[string]struct {
		err    error
		status int
		retry  string
		body   string
	}{
		"coded": {fmt.Errorf("read: %w", store.Errorf(store.Invalid, "no name")),
			400, "", `{"error":{"code":"invalid","message":"read: no name"}}`},
		"with a call": {store.Next(store.Errorf(store.NotFound, "no run 5"),
			store.NewCall("history", "lists runs")), 404, "",
			`{"error":{"code":"not_found","message":"no run 5","next_steps":["blq history   # lists runs"],"calls":[{"tool":"history","arguments":{},"why":"lists runs"}]}}`},
		"with a hint": {store.Hint(store.Errorf(store.NotFound, "no run 5"), "blq history"), 404, "",
			`{"error":{"code":"not_found","message":"no run 5","next_steps":["blq history"]}}`},
		"of HTML": {store.Errorf(store.Invalid, "<b>&"), 400,
			"", `{"error":{"code":"invalid","message":"<b>&"}}`},
		"too often": {store.Later(store.Errorf(store.RateLimited, "slower"), 1500*time.Millisecond),
			429, "2", `{"error":{"code":"rate_limited","message":"slower"}}`},
		"what is down is not told": {down, 503, "1",
			`{"error":{"code":"unavailable","message":"this cannot be done at the moment","next_steps":["try again"]}}`},
		"nor when it says until when": {store.Later(down, 40*time.Second), 503,
			"40", `{"error":{"code":"unavailable","message":"this cannot be done at the moment","next_steps":["try again"]}}`},
		"unless it is this server": {fmt.Errorf("%w", httpserver.Busy(store.Errorf(store.Unavailable, "full"))), 503,
			"1", `{"error":{"code":"unavailable","message":"full"}}`},
		"without a code": {errors.New("disk /dev/sda"), 500,
			"", `{"error":{"code":"internal","message":"internal error","next_steps":["try again; the server's log has more under this request ID"]}}`},
		"with an unknown code": {store.Errorf("invented", "disk /dev/sda"), 500,
			"", `{"error":{"code":"internal","message":"internal error","next_steps":["try again; the server's log has more under this request ID"]}}`},
		"too late": {context.DeadlineExceeded, 503, "1",
			`{"error":{"code":"unavailable","message":"this took too long","next_steps":["try again"]}}`},
		"nobody waits": {fmt.Errorf("query: %w", context.Canceled),
			499, "", `{"error":{"code":"cancelled","message":"the client went away"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			httpserver.Handler(func(http.ResponseWriter, *http.Request) error { return tt.err }).ServeHTTP(
				w, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
			got := []any{w.Code, w.Header().Get("Retry-After"), w.Header().Get("Content-Type"), w.Body.String()}
			if diff := cmp.Diff([]any{tt.status, tt.retry, "application/json", tt.body + "\n"}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestErrorsCanBeRenderedInAnotherWay(t *testing.T) {
	w := httptest.NewRecorder()
	httpserver.Handler(func(http.ResponseWriter, *http.Request) error { return store.Errorf(store.NotFound, "no run") }).
		Render(func(w http.ResponseWriter, r *http.Request, status int, p httpserver.Problem) {
			http.Error(w, r.URL.Path+": "+p.Message, status)
		}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/page", nil))
	if w.Code != 404 || w.Body.String() != "/page: no run\n" {
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
}
