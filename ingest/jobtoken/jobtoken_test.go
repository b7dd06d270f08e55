package jobtoken_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/ingest/jobtoken"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/auth/authtest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
)

// fixture is a job, its runner's issuer, and a service with acme/web enrolled.
type fixture struct {
	*testing.T
	issuer  *authtest.Issuer
	service *httptest.Server
	handler http.Handler // the service's; a test may put another in front
	asked   int          // tokens of the service
	env     map[string]string
	slept   []time.Duration
}

func newFixture(t *testing.T, lasts time.Duration) *fixture {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "blq.db"))
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	_, err = db.EnrolRepo(t.Context(), store.EnrolledRepo{ID: 7, Name: "acme/web"})
	check(t, err)
	f := &fixture{T: t, env: map[string]string{}}
	f.service = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/token" {
			f.asked++
		}
		f.handler.ServeHTTP(w, r)
	}))
	t.Cleanup(f.service.Close)
	f.issuer = authtest.NewIssuer(t, "somebody else's")
	a, err := auth.New(auth.Config{
		Directory: db, Audience: f.service.URL, UploadFor: lasts,
		Issuers: []auth.Issuer{{URL: f.issuer.URL, Host: store.DefaultHost}},
	})
	check(t, err)
	f.handler = a.Authenticate(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	f.job(authtest.Job("acme/web", 7))
	return f
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) job(c authtest.Claims) {
	for _, v := range f.issuer.Env(c) {
		name, value, _ := strings.Cut(v, "=")
		f.env[name] = value
	}
}

func (f *fixture) source() *jobtoken.Source {
	return jobtoken.New(jobtoken.Config{
		Service: f.service.URL + "/", Getenv: func(name string) string { return f.env[name] },
		Sleep: func(_ context.Context, d time.Duration) error {
			f.slept = append(f.slept, d)
			return nil
		},
	})
}

func TestJobSendsWithoutASecret(t *testing.T) {
	f := newFixture(t, time.Hour)
	s := f.source()
	token, err := s.Token(t.Context())
	check(t, err)
	again, err := s.Token(t.Context())
	check(t, err)
	if token != again || f.asked != 1 || !auth.TokenPattern.MatchString(token) {
		t.Errorf("asked %d times", f.asked)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.service.URL+"/v1/runs", nil)
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	check(t, err)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("the token is answered %s", resp.Status)
	}
}

func TestTokenIsRenewedBeforeItEnds(t *testing.T) {
	f := newFixture(t, time.Nanosecond) // of which half is left at most
	s := f.source()
	for range 3 {
		_, err := s.Token(t.Context())
		check(t, err)
	}
	if f.asked != 3 {
		t.Errorf("asked %d times", f.asked)
	}
}

// The answer of the first exchange is lost; its OIDC token is used up.
func TestLostAnswer(t *testing.T) {
	f := newFixture(t, time.Hour)
	usual, lost := f.handler, false
	f.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !lost {
			lost = true
			usual.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		usual.ServeHTTP(w, r)
	})
	_, err := f.source().Token(t.Context())
	check(t, err)
	if f.asked != 2 || len(f.slept) != 1 {
		t.Errorf("asked %d times, slept %v", f.asked, f.slept)
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *fixture)
		code   store.Code
		asked  int
		says   string
	}{
		"not enrolled":      {func(f *fixture) { f.job(authtest.Job("acme/api", 8)) }, store.Forbidden, 1, "not enrolled"},
		"service down":      {func(f *fixture) { f.service.Close() }, store.Unavailable, 0, "refused"},
		"service stumbles":  {func(f *fixture) { f.handler = http.NotFoundHandler() }, store.Unauthorized, 1, "404"},
		"service is busy":   {func(f *fixture) { f.handler = status(503) }, store.Unavailable, 3, "503"},
		"service redirects": {func(f *fixture) { f.handler = http.RedirectHandler(f.issuer.URL, http.StatusTemporaryRedirect) }, store.Unauthorized, 1, "307"},
		"answers nonsense":  {func(f *fixture) { f.handler = status(200) }, store.Unavailable, 3, "cannot be read"},
		"runner down":       {func(f *fixture) { f.issuer.Close() }, store.Unavailable, 0, "ask the runner"},
		"runner refuses":    {func(f *fixture) { f.env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"] = "wrong" }, store.Unauthorized, 0, "ask the runner"},
		"no URL":            {func(f *fixture) { f.env["ACTIONS_ID_TOKEN_REQUEST_URL"] = "nonsense" }, store.Invalid, 0, "no URL"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, time.Hour)
			c.change(f)
			_, err := f.source().Token(t.Context())
			if store.CodeOf(err) != c.code || f.asked != c.asked || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v (%s), asked %d times", err, store.CodeOf(err), f.asked)
			}
		})
	}
}

func status(n int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(n) })
}

func TestElsewhereThereIsNoSource(t *testing.T) {
	for _, env := range []map[string]string{{}, {"ACTIONS_ID_TOKEN_REQUEST_URL": "x"}, {"ACTIONS_ID_TOKEN_REQUEST_TOKEN": "x"}} {
		if jobtoken.New(jobtoken.Config{Service: "https://blq.example.com", Getenv: func(n string) string { return env[n] }}) != nil {
			t.Errorf("a source from %v", env)
		}
	}
}
