package auth_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/store"
)

func TestChallenges(t *testing.T) {
	t.Parallel()
	s := newService(t)
	read, _ := s.token(store.Token{Scopes: scopes(store.ScopeRead), Repos: []string{"acme/web"}})
	for _, c := range []struct{ route, token, want string }{
		{"POST /mcp",
			"", `Bearer scope="repo", resource_metadata="https://blq.example.com/.well-known/oauth-protected-resource/mcp"`},
		{"GET /sse",
			"", `Bearer scope="repo", resource_metadata="https://blq.example.com/.well-known/oauth-protected-resource/sse"`},
		{"POST /mcp", "bad", `Bearer error="invalid_token", scope="repo", resource_metadata="https://blq.example.com/.well-known/oauth-protected-resource/mcp"`},
		{"POST /v1/runs",
			"", `Bearer scope="ingest", resource_metadata="https://blq.example.com/.well-known/oauth-protected-resource"`},
		{"GET /v1/query", read, `Bearer error="insufficient_scope", scope="query", resource_metadata="https://blq.example.com/.well-known/oauth-protected-resource"`},
		{"GET /v1/runs/x", "",
			`Bearer scope="ingest read", resource_metadata="https://blq.example.com/.well-known/oauth-protected-resource"`},
	} {
		w := s.send(c.route, c.token)
		if diff := cmp.Diff(c.want, w.Header().Get("WWW-Authenticate")); diff != "" {
			t.Errorf("%s: %s", c.route, diff)
		}
		status := http.StatusUnauthorized
		if c.token == read {
			status = http.StatusForbidden
		}
		if p := s.refused(w, status); len(p.NextSteps) == 0 {
			t.Errorf("%s: no next step", c.route)
		}
	}
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for path, resource := range map[string]string{
		"": "https://blq.example.com", "/mcp": "https://blq.example.com/mcp", "/sse": "https://blq.example.com/sse",
	} {
		w := s.send("GET /.well-known/oauth-protected-resource"+path, "")
		var got map[string]any
		check(t, json.Unmarshal(w.Body.Bytes(), &got))
		want := map[string]any{
			"resource": resource, "resource_name": "blq", "authorization_servers": []any{"https://github.com/login/oauth"},
			"scopes_supported": []any{"repo"}, "bearer_methods_supported": []any{"header"},
			"resource_documentation": "https://github.com/blq-ci/blq",
		}
		if diff := cmp.Diff(want, got); diff != "" || w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	for _, path := range []string{"/other", "/mcp/x", "/../v1/runs"} {
		if w := s.send("GET /.well-known/oauth-protected-resource"+path, ""); w.Code < 300 || s.called.Kind != "" {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestMetadataNamesTheServiceAsItsClientDoes(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *auth.Config) { c.URL, c.Forge = "", nil })
	for host, c := range map[string]struct{ proto, want string }{
		"127.0.0.1:8080": {"", "http://127.0.0.1:8080"}, "ci.example.com": {"https", "https://ci.example.com"},
	} {
		w := s.send("GET /v1/triage", "", func(r *http.Request) {
			r.Host = host
			r.Header.Set("X-Forwarded-Proto", c.proto)
		})
		if got := w.Header().Get("WWW-Authenticate"); got != `Bearer scope="read", resource_metadata="`+
			c.want+`/.well-known/oauth-protected-resource"` {
			t.Errorf("%s: %s", host, got)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *auth.Config) { c.Open = true })
	for _, route := range []string{"GET /v1/triage", "GET /v1/query", "POST /v1/runs", "POST /mcp", "GET /v1/clean"} {
		if p := s.through(s.send(route, "")); p.Kind != auth.KindOperator || !p.Read.All() || !p.MayWrite("any/repo") ||
			!p.MayWriteRun(store.Run{}) {
			t.Errorf("%s: %+v", route, p)
		}
	}
	// Only the token decides who the caller is.
	s.refused(s.send("GET /v1/triage", "blq_s_wrong"), http.StatusUnauthorized)
	read, _ := s.token(store.Token{Scopes: scopes(store.ScopeRead), Repos: []string{"acme/web"}})
	if p := s.through(s.send("GET /v1/triage", read)); p.Kind != auth.KindToken {
		t.Errorf("%+v", p)
	}
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set(name, value)
			if name == "Host" {
				r.Host = value
			}
		}
	}
	for name, change := range map[string]func(*http.Request){
		"rebound name":            set("Host", "evil.example"),
		"rebound name and port":   set("Host", "evil.example:8080"),
		"name that begins well":   set("Host", "127.0.0.1.evil.example"),
		"name behind a proxy":     set("Host", "ci.example.com"),
		"page of another site":    set("Origin", "https://evil.example"),
		"page without an origin":  set("Origin", "null"),
		"origin with a user":      set("Origin", "http://x@127.0.0.1"),
		"image of another site":   set("Sec-Fetch-Site", "cross-site"),
		"origin that begins well": set("Origin", "http://localhost.evil.example"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, route := range []string{"GET /v1/triage", "POST /v1/runs", "GET /sse"} {
				s.refused(s.send(route, "", change), http.StatusForbidden)
			}
			s.through(s.send("GET /v1/triage", read, change)) // browsers do not let a page send this header
		})
	}
	for _, host := range []string{"localhost", "localhost:8080", "[::1]:8080", "127.0.0.2"} {
		s.through(s.send("GET /v1/triage", "", set("Host", host)))
	}
	s.through(s.send("GET /v1/triage", "", set("Origin", "http://localhost:3000")))
}

func TestClosedUnlessToldOtherwise(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, route := range []string{"GET /v1/triage", "POST /v1/runs", "POST /mcp"} {
		s.refused(s.send(route, ""), http.StatusUnauthorized, "a token is needed")
	}
	for listen, ok := range map[string]bool{
		"127.0.0.1:8080": true, "localhost:8080": true, "[::1]:0": true, "127.0.0.1": true,
		":8080": false, "0.0.0.0:8080": false, "[::]:8080": false, "10.0.0.1:80": false, "ci.example.com:80": false,
		"": false, "localhost.evil.example:80": false,
	} {
		if err := auth.CheckOpen(listen, false); (err == nil) != ok {
			t.Errorf("%q: %v", listen, err)
		}
		if err := auth.CheckOpen(listen, true); err != nil {
			t.Errorf("%q, told so: %v", listen, err)
		}
	}
}

// A request for a hidden repository and a request for a missing repository get the same response. The principal of the
// caller is the same for both requests.
func TestRefusalsTellNothingOfRepositories(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/secret", 1)
	s.github.Repo("acme/secret", 1)
	token, _ := s.token(store.Token{Scopes: scopes(store.ScopeIngest), Repos: []string{"acme/web"}})
	eve := s.github.Token("eve")
	for _, c := range []struct{ route, token string }{
		{"GET /v1/info?repo=", token}, {"GET /v1/info?repo=", ""}, {"GET /v1/info?repo=", "blq_s_bad"},
		{"GET /v1/info?repo=", eve}, {"GET /v1/clean?repo=", eve},
	} {
		there := s.send(c.route+"acme/secret", c.token)
		seen := s.called
		gone := s.send(c.route+"acme/nothing", c.token)
		if there.Code != gone.Code || there.Body.String() != gone.Body.String() {
			t.Errorf("%s: %d %s and %d %s", c.route, there.Code, there.Body, gone.Code, gone.Body)
		}
		if diff := cmp.Diff(there.Header(), gone.Header()); diff != "" {
			t.Errorf("%s: %s", c.route, diff)
		}
		if diff := cmp.Diff(seen, s.called, cmp.AllowUnexported(store.Scope{})); diff != "" {
			t.Errorf("%s: %s", c.route, diff)
		}
	}
}
