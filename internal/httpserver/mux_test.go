package httpserver_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/httpserver"
)

func TestMux(t *testing.T) {
	say := func(text string) httpserver.Handler {
		return func(w http.ResponseWriter, r *http.Request) error {
			_, err := io.WriteString(w, text+r.PathValue("id"))
			return err
		}
	}
	mux := httpserver.NewMux("read the manual")
	mux.Handle("GET", "/runs/{id}", say("get "))
	mux.Handle("DELETE", "/runs/{id}", say("delete "))
	mux.Handle("POST", "/runs", say("post"))
	for _, tt := range []struct {
		method, path string
		status       int
		route        string
		allow        string
		says         string
	}{
		{"GET", "/runs/5", 200, "/runs/{id}", "", "get 5"},
		{"HEAD", "/runs/5", 200, "/runs/{id}", "", "get 5"},
		{"DELETE", "/runs/5", 200, "/runs/{id}", "", "delete 5"},
		{"POST", "/runs", 200, "/runs", "", "post"},
		{"GET", "/runs", 405, "/runs", "POST, OPTIONS",
			`"code":"method_not_allowed","message":"this path takes POST, OPTIONS"`},
		{"PUT", "/runs/5", 405, "/runs/{id}", "DELETE, GET, HEAD, OPTIONS", "method_not_allowed"},
		{"OPTIONS", "/runs/5", 204, "/runs/{id}", "DELETE, GET, HEAD, OPTIONS", ""},
		{"GET", "/", 404, "", "", `"next_steps":["read the manual"]`},
		{"GET", "/runs/5/x", 404, "", "", "nothing is served at this path"},
		{"GET", "//runs/5", 404, "", "", "not_found"},
		{"GET", "/x/../runs/5", 404, "", "", "not_found"},
		{"GET", "/runs/./5", 404, "", "", "not_found"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), tt.method, "/", nil)
		r.URL.Path = tt.path
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		if refused := mux.Refused(r); (tt.status == 405) != (refused != "") || tt.status == 405 && refused != tt.allow {
			t.Errorf("%s %s: refused with %q", tt.method, tt.path, refused)
		}
		if w.Code != tt.status || w.Header().Get("Allow") != tt.allow || !strings.Contains(w.Body.String(), tt.says) ||
			mux.Route(r) != tt.route {
			t.Errorf("%s %s (route %q) is answered %d %s, Allow %q", tt.method, tt.path, mux.Route(r), w.Code, w.Body,
				w.Header().Get("Allow"))
		}
	}
}

func TestAnUncleanPathIsNotTheRoot(t *testing.T) {
	mux := httpserver.NewMux("")
	for _, pattern := range []string{"/{$}", "/.well-known/{name}"} {
		mux.Handle("GET", pattern, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	}
	for path, status := range map[string]int{"/": 200, "/.well-known/x": 200, "/a/..": 404, "//": 404, "/.": 404,
		"*": 404} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.URL.Path = path
		w := httptest.NewRecorder()
		if mux.ServeHTTP(w, r); w.Code != status {
			t.Errorf("%s: %d, want %d", path, w.Code, status)
		}
	}
}

func TestEscapedPartsOfAPath(t *testing.T) {
	mux := httpserver.NewMux("")
	show := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) })
	mux.Handle("GET", "/ui/", http.StripPrefix("/ui", show))
	mux.Handle("GET", "/runs/{id}", show)
	for path, want := range map[string]string{
		"/ui/a%2F..%2Fb": "/a/../b", "/ui/a%2F%2Fb": "/a//b", "/ui/%2E%2E": "/..", "/ui/..": "", "/ui//a": "",
		"/ui/a/%2E./b/../c": "",
		"/runs/5":           "/runs/5", "/runs/%2E%2E": "", "/runs/a%2F..%2Fb": "", "/runs/a%2Fb": "/runs/a/b",
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		if found := w.Code == http.StatusOK; found != (want != "") || found && w.Body.String() != want ||
			found != (mux.Route(r) != "") {
			t.Errorf("%s: %d %s, route %q", path, w.Code, w.Body, mux.Route(r))
		}
	}
}

func TestARouteWithoutAMethodTakesAllOthers(t *testing.T) {
	mux := httpserver.NewMux("")
	for _, method := range []string{"", "OPTIONS"} {
		mux.Handle(method, "/mcp",
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Route", "for "+method) }))
	}
	for method, want := range map[string]string{"GET": "for ", "PATCH": "for ", "OPTIONS": "for OPTIONS"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, "/mcp", nil))
		if got := w.Header().Get("Route"); got != want || w.Code != 200 {
			t.Errorf("%s is served by %q (%d), want %q", method, got, w.Code, want)
		}
	}
}
