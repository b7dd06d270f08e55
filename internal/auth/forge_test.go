package auth_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/store"
)

func (s *service) reads(token string, want ...string) {
	s.Helper()
	p := s.through(s.send("GET /v1/triage", token))
	if diff := cmp.Diff(want, p.Read.Names()); p.Read.All() || diff != "" {
		s.Errorf("%s reads %s", p.ID, diff)
	}
}

func TestUserReadsWhatGitHubLetsThemRead(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for i, name := range []string{"acme/api", "acme/open", "acme/web", "other/web"} {
		s.enrol(name, int64(i+1))
	}
	_, err := s.store.EnrolRepo(t.Context(), store.EnrolledRepo{Host: "ghes.example.com", ID: 3, Name: "corp/web"})
	check(t, err)
	s.github.Repo("acme/api", 1, "ann", "bob", "app")
	s.github.Public("acme/open", 2)
	s.github.Repo("acme/web", 3, "ann")
	s.github.Repo("other/web", 4)
	s.github.Show("other/web", "bob")
	s.github.Repo("corp/web", 3, "ann")  // the same name and ID at another forge
	s.github.Repo("acme/more", 5, "ann") // not enrolled
	ann, bob, eve := s.github.Token("ann"), s.github.Token("bob"), s.github.Token("eve")
	s.reads(ann, "acme/api", "acme/open", "acme/web")
	s.reads(bob, "acme/api", "acme/open")
	s.reads(eve, "acme/open")
	s.reads(s.github.Installation("app"), "acme/api", "acme/open")
	p := s.through(s.send("GET /v1/query", ann))
	if p.Kind != auth.KindUser || p.ID != "user:ann" || p.MayWrite("acme/web") || p.Repo != "" {
		t.Errorf("%+v", p)
	}
	s.refused(s.send("POST /v1/runs", ann), http.StatusForbidden)
	s.refused(s.send("GET /v1/clean", ann), http.StatusForbidden)
}

func TestUserStartsWhatTheyMayWriteTo(t *testing.T) {
	t.Parallel()
	for _, more := range []int{0, 120} { // with 120 more, there are too many for individual lookups
		s := newService(t)
		for i := range 2 + more {
			name := fmt.Sprint("acme/r", i)
			s.enrol(name, int64(i+1))
			s.github.Repo(name, int64(i+1), "ann", "bob")
		}
		s.github.Writers("acme/r1", "ann")
		p := s.through(s.send("GET /v1/run", s.github.Token("ann")))
		if !p.MayStart("acme/r1") || p.MayStart("acme/r0") || !p.MayRead("acme/r0") || p.MayWrite("acme/r1") {
			t.Errorf("%+v", p)
		}
		s.github.Writers("acme/r1")
		s.readsNothing(s.github.Token("eve"))
		s.refused(s.send("GET /v1/run", s.github.Token("bob")), http.StatusForbidden, "no scope run")
		read, _ := s.token(store.Token{Scopes: scopes(store.ScopeRead), Repos: []string{"acme/r1"}})
		if s.through(s.send("GET /v1/triage", read)).MayStart("acme/r1") {
			t.Error("a token that reads may start")
		}
	}
}

func TestNameThatAnotherRepositoryTookOver(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 1)
	s.github.Repo("acme/web", 1, "ann")
	s.github.Rename("acme/web", "acme/site")
	s.reads(s.github.Token("ann"), "acme/web") // the repository has a second name
	s.github.Repo("acme/web", 2, "eve")
	eve := s.github.Token("eve")
	s.readsNothing(eve)

	s.github.Repo("acme/site", 1, "ann")
	s.enrol("acme/site", 1)
	s.reads(s.github.Token("ann"), "acme/site")
	s.enrol("acme/web", 2)
	s.reads(s.github.Token("ann"), "acme/site")
	s.wait(2 * time.Minute)
	s.reads(eve, "acme/web")
}

// Cached answers of GitHub become invalid when a name passes to another repository.
func TestRememberedAnswersEndWhenANameGoesToAnother(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 1)
	s.github.Repo("acme/web", 1, "ann")
	ann := s.github.Token("ann")
	s.reads(ann, "acme/web")
	check(t, s.store.WithdrawRepo(t.Context(), store.DefaultHost, 1))
	s.github.Repo("acme/web", 2, "eve")
	s.enrol("acme/web", 2)
	s.readsNothing(ann)
	s.reads(s.github.Token("eve"), "acme/web")
}

// readsNothing checks that a GitHub token may do nothing at all.
func (s *service) readsNothing(token string) {
	s.Helper()
	for _, request := range []string{"GET /v1/triage", "GET /v1/query", "GET /v1/run", "POST /v1/runs"} {
		s.refused(s.send(request, token), http.StatusForbidden)
	}
	s.refused(s.send("GET /v1/query", token), http.StatusForbidden, "can read no repository")
}

func TestWhatGitHubSaidIsRememberedBriefly(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 1)
	s.github.Repo("acme/web", 1, "ann")
	ann, bad := s.github.Token("ann"), s.github.Token("bad")
	s.github.Revoke(bad)
	for range 5 {
		s.reads(ann, "acme/web")
		s.refused(s.send("GET /v1/triage", bad), http.StatusUnauthorized, "GitHub does not take the token")
	}
	if diff := cmp.Diff(map[string]int{"/user": 2, "/repos/acme/web": 1}, s.github.Asked()); diff != "" {
		t.Error(diff)
	}
	s.github.Repo("acme/web", 1)
	s.wait(2*time.Minute - 1)
	s.reads(ann, "acme/web")
	s.wait(1)
	s.readsNothing(ann)
	s.github.Revoke(ann)
	s.wait(2 * time.Minute)
	s.refused(s.send("GET /v1/triage", ann), http.StatusUnauthorized)
}

func TestManyRequestsAskGitHubOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 1)
	ann := s.github.Token("ann")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { s.send("GET /v1/triage", ann) })
	}
	all.Wait()
	if n := s.github.Asked()["/user"]; n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestManyRepositoriesAreListed(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var want []string
	for i := range 230 {
		name := fmt.Sprintf("acme/r%03d", i)
		s.enrol(name, int64(i+1))
		if i%2 == 1 {
			s.github.Repo(name, int64(i+1))
			s.github.Show(name, "ann")
		} else {
			s.github.Repo(name, int64(i+1), "ann", "app")
			want = append(want, name)
		}
	}
	s.github.Repo("acme/other", 1000, "ann") // not enrolled
	s.reads(s.github.Token("ann"), want...)
	if diff := cmp.Diff(map[string]int{"/user": 1, "/user/repos": 3}, s.github.Asked()); diff != "" {
		t.Error(diff)
	}
	s.reads(s.github.Installation("app"), want...)
}

func TestGitHubSaysNotNow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		header http.Header
		after  string
	}{
		"429":                  {429, http.Header{"Retry-After": {"40"}}, "40"},
		"429 alone":            {429, nil, "60"},
		"403 with Retry-After": {403, http.Header{"Retry-After": {"7"}}, "7"},
		"403 with nothing left": {
			403, http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1772366430"}}, "30"},
		"502": {502, nil, "5"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			s.enrol("acme/web", 1)
			s.github.Repo("acme/web", 1, "ann")
			ann := s.github.Token("ann")
			s.github.Fail(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for k, v := range c.header {
					w.Header()[k] = v
				}
				w.WriteHeader(c.status)
			}))
			for range 3 {
				w := s.send("GET /v1/triage", ann)
				s.refused(w, http.StatusServiceUnavailable, `"unavailable"`)
				if got := w.Header().Get("Retry-After"); got != c.after {
					t.Errorf("Retry-After %q, want %q", got, c.after)
				}
			}
			if n := s.github.Asked()["/user"]; n != 1 {
				t.Errorf("asked %d times", n)
			}
			s.github.Fail(nil)
			s.wait(5 * time.Minute)
			s.reads(ann, "acme/web")
		})
	}
}

// While GitHub is down, the last answer about a token is used for some time. This is not so if GitHub limits the rate
// of the token, because its owner can cause that.
func TestAnOutageOfGitHubEndsNoAccess(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 1)
	s.github.Repo("acme/web", 1, "ann")
	ann, eve := s.github.Token("ann"), s.github.Token("eve")
	s.reads(ann, "acme/web")
	answers := func(status int) {
		s.github.Fail(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	}
	answers(502)
	for range 7 { // after that, the answer is 14 minutes old
		s.wait(2 * time.Minute)
		s.reads(ann, "acme/web")
	}
	s.refused(s.send("GET /v1/triage", eve), http.StatusServiceUnavailable)
	s.wait(time.Minute)
	s.refused(s.send("GET /v1/triage", ann), http.StatusServiceUnavailable)
	s.github.Fail(nil)
	s.wait(2 * time.Minute)
	s.reads(ann, "acme/web")
	answers(429)
	s.wait(2 * time.Minute)
	s.refused(s.send("GET /v1/triage", ann), http.StatusServiceUnavailable)
	s.github.Fail(nil)
	s.wait(5 * time.Minute)
	s.reads(ann, "acme/web")
	s.github.Revoke(ann)
	s.wait(2 * time.Minute)
	s.refused(s.send("GET /v1/triage", ann), http.StatusUnauthorized)
	answers(502)
	s.wait(2 * time.Minute)
	s.refused(s.send("GET /v1/triage", ann), http.StatusServiceUnavailable)
}

// If GitHub fails during a lookup, the request is refused. A failure of GitHub must not change what a caller may see.
func TestGitHubStumbles(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for i := range 20 {
		s.enrol(fmt.Sprint("acme/r", i), int64(i+1))
		s.github.Repo(fmt.Sprint("acme/r", i), int64(i+1), "ann")
	}
	ann := s.github.Token("ann")
	usual := s.github.Config.Handler
	s.github.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/repos/acme/r13" {
			_, _ = w.Write([]byte(`{"id": 14, "permi`))
			return
		}
		usual.ServeHTTP(w, r)
	})
	s.refused(s.send("GET /v1/triage", ann), http.StatusServiceUnavailable)
}

func TestWithoutAForgeGitHubTokensAreUnknown(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *auth.Config) { c.Forge = nil })
	s.refused(s.send("GET /v1/triage", s.github.Token("ann")), http.StatusUnauthorized, "not known")
	if n := len(s.github.Asked()); n != 0 {
		t.Errorf("asked %d times", n)
	}
}

func TestGitHubIsAskedOnlyAboutWhatCouldBeItsTokens(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, token := range []string{"ghp_", "ghp_short", "ghx_" + strings.Repeat("a", 36), "ghr_" + strings.Repeat("a", 36),
		strings.Repeat("a", 41), "ghp_" + strings.Repeat("a", 36) + "/../x", "glpat-" + strings.Repeat("a", 20)} {
		s.refused(s.send("GET /v1/triage", token), http.StatusUnauthorized, "not known")
	}
	if n := len(s.github.Asked()); n != 0 {
		t.Errorf("asked %d times", n)
	}
}

func TestNewGitHub(t *testing.T) {
	t.Parallel()
	for api, host := range map[string]string{
		"":                                "github.com",
		"https://api.github.com/":         "github.com",
		"https://ghes.example.com/api/v3": "ghes.example.com",
		"https://api.corp.ghe.com":        "corp.ghe.com",
		"http://127.0.0.1:4010":           "127.0.0.1:4010",
	} {
		g, err := auth.NewGitHub(auth.GitHubConfig{API: api})
		if err != nil || g.Host() != host {
			t.Errorf("%s: %v", api, err)
		}
	}
	for _, bad := range []string{"http://ghes.example.com/api/v3", "ghes.example.com", "https://user:secret@h.example"} {
		if _, err := auth.NewGitHub(auth.GitHubConfig{API: bad}); store.CodeOf(err) != store.Invalid ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestWhoLeavesIsNotLogged(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ctx, leave := context.WithCancel(t.Context())
	s.github.Fail(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		leave()
		<-r.Context().Done()
	}))
	s.send("GET /v1/triage", s.github.Token("ann"), func(r *http.Request) { *r = *r.WithContext(ctx) })
	s.github.CloseClientConnections()
	if s.log.Len() > 0 || s.called.Kind != "" {
		t.Errorf("log %s", s.log.String())
	}
}
