package auth_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/store"
)

const pages auth.Action = "GET /ui/{page...}"

// looks returns the viewer of a page in a browser with a secret.
func (s *service) looks(a *auth.Authenticator, secret string, change ...func(*http.Request)) (auth.Principal, error) {
	r := httptest.NewRequestWithContext(s.Context(), http.MethodGet, "http://127.0.0.1/ui/", nil)
	for _, c := range change {
		c(r)
	}
	return a.Viewer(r, secret, pages)
}

func (s *service) authenticator() *auth.Authenticator {
	s.Helper()
	a, err := auth.New(s.config)
	check(s.T, err)
	return a
}

func (s *service) signIn(a *auth.Authenticator, token string) string {
	s.Helper()
	secret, until, err := a.SignIn(s.Context(), token, 8*time.Hour)
	check(s.T, err)
	if !until.Equal(s.clock().Add(8 * time.Hour)) {
		s.Errorf("good until %s", until)
	}
	return secret
}

func TestBrowserReadsWhatItsPersonReads(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/api", 1)
	s.enrol("acme/web", 2)
	s.github.Repo("acme/api", 1, "ann")
	s.github.Repo("acme/web", 2, "bob")
	a := s.authenticator()
	p, err := s.looks(a, s.signIn(a, s.github.Token("ann")))
	if err != nil || p.ID != "user:ann" || p.Kind != auth.KindUser || !slices.Equal(p.Read.Names(), []string{"acme/api"}) {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := s.looks(a, ""); store.CodeOf(err) != store.Unauthorized {
		t.Errorf("without a secret: %v", err)
	}
	if _, _, err := a.SignIn(t.Context(), "ghp_"+"nobody0000000000000000000000000000000000", 0); store.CodeOf(err) !=
		store.Unauthorized {
		t.Errorf("a token that GitHub does not know: %v", err)
	}
	nothing, err := s.looks(a, s.signIn(a, s.github.Token("eve")))
	if store.CodeOf(err) != store.Forbidden {
		t.Errorf("a person without repositories: %+v, %v", nothing, err)
	}
}

func TestSignInEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(s *service, a *auth.Authenticator, secret, token string){
		"by its time": func(s *service, _ *auth.Authenticator, _, _ string) { s.wait(8 * time.Hour) },
		"by signing out": func(s *service, a *auth.Authenticator, secret, _ string) {
			check(s.T, a.SignOut(s.Context(), secret))
		},
		"with the token": func(s *service, _ *auth.Authenticator, _, token string) {
			s.github.Revoke(token)
			s.wait(time.Hour)
		},
		"with what it reads": func(s *service, _ *auth.Authenticator, _, _ string) {
			s.github.Repo("acme/api", 1, "bob")
			s.wait(time.Hour)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.enrol("acme/api", 1)
			s.github.Repo("acme/api", 1, "ann")
			a, token := s.authenticator(), s.github.Token("ann")
			secret := s.signIn(a, token)
			s.wait(time.Hour)
			if _, err := s.looks(a, secret); err != nil {
				t.Fatal(err)
			}
			end(s, a, secret, token)
			if p, err := s.looks(a, secret); err == nil {
				t.Errorf("still %+v", p)
			}
		})
	}
}

func TestVisitorsReadPublicRepositories(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *auth.Config) { c.PublicPages = true })
	s.enrol("acme/api", 1)
	_, err := s.store.EnrolRepo(t.Context(),
		store.EnrolledRepo{ID: 2, Name: "acme/open", Public: true, EnrolledAt: s.clock()})
	check(t, err)
	a := s.authenticator()
	for _, secret := range []string{"", "forged"} {
		p, err := s.looks(a, secret)
		if err != nil || p.Kind != auth.KindVisitor ||
			!slices.Equal(p.Read.Names(), []string{"acme/open"}) || p.Start.All() ||
			len(p.Start.Names()) > 0 || p.Tenant() == "owner:acme" {
			t.Errorf("%+v, %v", p, err)
		}
		if auth.Allow(p, auth.Scope(store.ScopeRead)) == nil {
			t.Error("a visitor may use the API")
		}
	}
}

func TestPagesWithoutAuthentication(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *auth.Config) { c.Open = true })
	a := s.authenticator()
	header := func(pairs ...string) func(*http.Request) {
		return func(r *http.Request) {
			for i := 0; i < len(pairs); i += 2 {
				r.Header.Set(pairs[i], pairs[i+1])
			}
		}
	}
	for name, tt := range map[string]struct {
		change func(*http.Request)
		may    bool
	}{
		"typed": {header("Sec-Fetch-Site", "none"), true},
		"a link elsewhere": {
			header("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"), true},
		"a frame elsewhere": {
			header("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"), false},
		"an image elsewhere":  {header("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"), false},
		"a script elsewhere":  {header("Origin", "https://evil.example"), false},
		"a name of elsewhere": {func(r *http.Request) { r.Host = "evil.example" }, false},
	} {
		if p, err := s.looks(a, "", tt.change); (err == nil) != tt.may {
			t.Errorf("%s: %+v, %v", name, p.Kind, err)
		}
	}
}

func TestFormKeys(t *testing.T) {
	t.Parallel()
	if key := auth.FormKey("one"); !auth.IsFormKey("one", key) || auth.IsFormKey("two", key) ||
		auth.IsFormKey("", auth.FormKey("")) {
		t.Error("keys do not tell browsers apart")
	}
}
