package auth_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/auth/authtest"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

const audience = "https://blq.example.com"

// service is an authenticator with its dependencies. The handler behind the authenticator records the caller.
type service struct {
	*testing.T
	config  auth.Config
	store   *sqlite.Store
	issuer  *authtest.Issuer
	github  *githubtest.GitHub
	handler http.Handler
	log     bytes.Buffer

	lock   sync.Mutex
	now    time.Time
	called auth.Principal // last accepted caller
}

func newService(t *testing.T, change ...func(*auth.Config)) *service {
	t.Helper()
	db := sqlitetest.Open(t)
	s := &service{T: t, store: db, issuer: authtest.NewIssuer(t, audience), github: githubtest.New(t),
		now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	s.issuer.Now = s.clock
	forge, err := auth.NewGitHub(auth.GitHubConfig{API: s.github.URL, Host: store.DefaultHost, Now: s.clock})
	check(t, err)
	s.config = auth.Config{
		Directory: db, Issuers: []auth.Issuer{{URL: s.issuer.URL, Host: store.DefaultHost}}, Audience: audience,
		Forge: forge, URL: "https://blq.example.com", Now: s.clock, Log: slog.New(slog.NewTextHandler(&s.log, nil)),
	}
	for _, c := range change {
		c(&s.config)
	}
	s.anew()
	return s
}

// anew replaces the authenticator with another authenticator that has empty caches.
func (s *service) anew() {
	s.Helper()
	a, err := auth.New(s.config)
	check(s.T, err)
	came := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.called = auth.From(r.Context())
	})
	mux := http.NewServeMux()
	for _, route := range auth.Routes() {
		handler := http.Handler(came)
		switch {
		case route == "POST "+auth.PathToken:
			handler = httpserver.Handler(a.Exchange)
		case strings.Contains(route, auth.PathMetadata):
			handler = httpserver.Handler(a.Metadata)
		}
		mux.HandleFunc(
			route, func(w http.ResponseWriter, r *http.Request) { a.Guard(actionOf(route, r), handler).ServeHTTP(w, r) })
	}
	s.handler = mux
}

// actionOf returns the action of a request as the API does. For a tool, the action is the scope of the tool's row.
func actionOf(route string, r *http.Request) auth.Action {
	if row, found := questions.All().FindTool(r.PathValue("tool")); found {
		return auth.Scope(row.Scope)
	}
	return auth.Action(route)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *service) clock() time.Time {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.now
}

func (s *service) wait(d time.Duration) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.now = s.now.Add(d)
}

func (s *service) enrol(name string, id int64) {
	s.Helper()
	_, err := s.store.EnrolRepo(s.Context(), store.EnrolledRepo{ID: id, Name: name, EnrolledAt: s.clock()})
	check(s.T, err)
}

// token creates a token of blqd.
func (s *service) token(t store.Token) (secret, id string) {
	s.Helper()
	t.CreatedAt = s.clock()
	secret, stored, err := auth.NewToken(t)
	check(s.T, err)
	check(s.T, s.store.CreateToken(s.Context(), stored))
	return secret, stored.ID
}

func scopes(list ...store.TokenScope) []store.TokenScope { return list }

// send sends a request with a bearer token, "" for none.
func (s *service) send(route, token string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	s.Helper()
	method, path, _ := strings.Cut(route, " ")
	r := httptest.NewRequestWithContext(s.Context(), method, "http://127.0.0.1"+path, nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	s.lock.Lock()
	s.called = auth.Principal{}
	s.lock.Unlock()
	s.handler.ServeHTTP(w, r)
	return w
}

// refused checks that a request was refused with a status and with words in the message. It returns the problem.
func (s *service) refused(w *httptest.ResponseRecorder, status int, words ...string) httpserver.Problem {
	s.Helper()
	var e api.Error
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != status || e.Error.Code == "" ||
		e.Error.Message == "" {
		s.Fatalf("answered %d %s (%v), want a refusal with %d", w.Code, w.Body, err, status)
	}
	if s.called.Kind != "" {
		s.Fatalf("%s came through", s.called.ID)
	}
	for _, word := range words {
		if !strings.Contains(w.Body.String(), word) {
			s.Errorf("the refusal %s does not say %q", w.Body, word)
		}
	}
	return e.Error
}

// through checks that a request was accepted, and returns its caller.
func (s *service) through(w *httptest.ResponseRecorder) auth.Principal {
	s.Helper()
	if w.Code != http.StatusOK || s.called.Kind == "" {
		s.Fatalf("answered %d %s", w.Code, w.Body)
	}
	return s.called
}

// job returns an OIDC token of a job.
func (s *service) job(repo string, id int64, changes ...authtest.Claims) string {
	return s.issuer.Token(authtest.Job(repo, id, changes...))
}

func (s *service) exchange(oidc string) api.UploadToken {
	s.Helper()
	w := s.send("POST /v1/token", oidc)
	var answer api.UploadToken
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		s.Fatalf("answered %d %s (%v)", w.Code, w.Body, err)
	}
	return answer
}
