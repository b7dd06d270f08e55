package auth_test

import (
	"crypto/sha256"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/store"
)

func TestNewToken(t *testing.T) {
	t.Parallel()
	made := store.Token{Name: "ci", Scopes: scopes(store.ScopeRead), Repos: []string{"acme/web"}}
	seen := map[string]bool{}
	for range 100 {
		secret, stored, err := auth.NewToken(made)
		check(t, err)
		hash := sha256.Sum256([]byte(secret))
		if !auth.TokenPattern.MatchString(secret) || !strings.HasPrefix(secret, "blq_s_") ||
			!slices.Equal(stored.Hash, hash[:]) {
			t.Errorf("secret %s, hash %x", secret, stored.Hash)
		}
		if len(stored.ID) != 8 || strings.Contains(secret, stored.ID) || seen[secret] || seen[stored.ID] {
			t.Errorf("ID %s, secret %s", stored.ID, secret)
		}
		seen[secret], seen[stored.ID] = true, true
		stored.ID, stored.Hash = "", nil
		if diff := cmp.Diff(made, stored); diff != "" {
			t.Error(diff)
		}
	}
	for name, bad := range map[string]store.Token{
		"no scope":          {Repos: []string{"acme/web"}},
		"no such scope":     {Scopes: scopes("root"), Repos: []string{"acme/web"}},
		"nowhere":           {Scopes: scopes(store.ScopeRead)},
		"admin and nowhere": {Scopes: scopes(store.ScopeAdmin, store.ScopeRead)},
		"bad repository":    {Scopes: scopes(store.ScopeRead), Repos: []string{"web"}},
		"bad owner":         {Scopes: scopes(store.ScopeRead), Owners: []string{"acme/web"}},
		"empty owner":       {Scopes: scopes(store.ScopeRead), Owners: []string{""}},
	} {
		if _, _, err := auth.NewToken(bad); store.CodeOf(err) != store.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := auth.NewToken(store.Token{Scopes: scopes(store.ScopeAdmin)}); err != nil {
		t.Errorf("admin: %v", err)
	}
}

func TestTokenReachesItsRepositories(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 1)
	s.enrol("acme/api", 2)
	s.enrol("other/web", 3)
	for _, c := range []struct {
		name          string
		token         store.Token
		reads, writes []string
		about         string
	}{
		{"one repository", store.Token{Repos: []string{"acme/web"}}, []string{"acme/web"}, []string{"acme/web"}, "acme/web"},
		{"a repository that is not enrolled", store.Token{Repos: []string{"new/one"}}, []string{"new/one"},
			[]string{"new/one"}, "new/one"},
		{"two", store.Token{Repos: []string{"other/web", "acme/web"}}, []string{"acme/web", "other/web"},
			[]string{"acme/web", "other/web"}, ""},
		{"an owner", store.Token{Owners: []string{"acme"}}, []string{"acme/api", "acme/web"},
			[]string{"acme/api", "acme/new", "acme/web"}, ""},
		{"both", store.Token{Owners: []string{"acme"}, Repos: []string{"other/web"}},
			[]string{"acme/api", "acme/web", "other/web"}, []string{"acme/api", "acme/new", "acme/web", "other/web"}, ""},
		{"owner without repositories", store.Token{Owners: []string{"acm"}}, nil, nil, ""},
		{"every owner", store.Token{Owners: []string{"*"}}, everywhere, everywhere, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.token.Scopes = scopes(store.ScopeIngest, store.ScopeRead)
			secret, id := s.token(c.token)
			p := s.through(s.send("GET /v1/triage", secret))
			if p.Kind != auth.KindToken || p.ID != "token:"+id || p.Repo != c.about {
				t.Errorf("caller %s %s about %q", p.Kind, p.ID, p.Repo)
			}
			if diff := cmp.Diff(c.reads, only(everywhere, p.MayRead)); diff != "" {
				t.Errorf("reads %s", diff)
			}
			if diff := cmp.Diff(c.writes, only(everywhere, p.MayWrite)); diff != "" {
				t.Errorf("writes %s", diff)
			}
		})
	}
}

var everywhere = []string{"", "acme", "acme/api", "acme/new", "acme/web", "new/one", "other/web"}

func only(names []string, may func(string) bool) (list []string) {
	for _, n := range names {
		if may(n) {
			list = append(list, n)
		}
	}
	return list
}

func TestTokenThatOnlySendsReadsNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 1)
	secret, _ := s.token(
		store.Token{Scopes: scopes(store.ScopeIngest), Owners: []string{"acme"}, Repos: []string{"acme/api"}})
	p := s.through(s.send("POST /v1/runs", secret))
	if p.MayRead("acme/web") || p.MayRead("acme/api") || !p.MayWrite("acme/web") {
		t.Errorf("%+v", p)
	}
}

func TestUselessTokens(t *testing.T) {
	t.Parallel()
	s := newService(t)
	read := store.Token{Scopes: scopes(store.ScopeRead), Repos: []string{"acme/web"}}
	good, _ := s.token(read)
	brief := read
	brief.ExpiresAt = s.clock().Add(time.Hour)
	expires, _ := s.token(brief)
	revoked, id := s.token(read)
	unknown, _, err := auth.NewToken(read)
	check(t, err)
	for _, secret := range []string{good, expires, revoked} {
		s.through(s.send("GET /v1/triage", secret))
	}
	check(t, s.store.RevokeToken(t.Context(), id, s.clock()))
	s.wait(time.Hour)
	s.through(s.send("GET /v1/triage", good))
	for name, c := range map[string]struct{ secret, says string }{
		"expired":        {expires, "expired"},
		"revoked":        {revoked, "revoked"},
		"unknown":        {unknown, "not known"},
		"cut":            {good[:len(good)-1], "not known"},
		"longer":         {good + "0", "not known"},
		"other checksum": {good[:len(good)-1] + flip(good[len(good)-1]), "not known"},
		"upper case":     {strings.ToUpper(good), "not known"},
		"other kind":     {strings.Replace(good, "blq_s_", "blq_j_", 1), "not known"},
		"prefix":         {"blq_", "not known"},
		"SQL":            {"blq_s_'--", "not known"},
		"nonsense":       {"hello", "not known"},
	} {
		t.Run(name, func(t *testing.T) {
			w := s.send("GET /v1/triage", c.secret)
			s.refused(w, http.StatusUnauthorized, c.says, `"unauthorized"`)
			if got := w.Header().Get("WWW-Authenticate"); !strings.HasPrefix(
				got, `Bearer error="invalid_token", scope="read", resource_metadata=`) {
				t.Errorf("WWW-Authenticate %s", got)
			}
			if strings.Contains(w.Body.String()+s.log.String(), c.secret+`"`) {
				t.Errorf("the token is in %s or %s", w.Body, s.log.String())
			}
		})
	}
}

func flip(b byte) string {
	if b == 'a' {
		return "b"
	}
	return "a"
}

func TestMalformedAuthorization(t *testing.T) {
	t.Parallel()
	s := newService(t)
	good, _ := s.token(store.Token{Scopes: scopes(store.ScopeRead), Repos: []string{"acme/web"}})
	for name, headers := range map[string][]string{
		"basic":              {"Basic dXNlcjpwYXNz"},
		"no scheme":          {good},
		"no token":           {"Bearer"},
		"only blanks":        {"Bearer   "},
		"empty":              {""},
		"two tokens":         {"Bearer " + good + " " + good},
		"two headers":        {"Bearer " + good, "Bearer " + good},
		"good and empty":     {"Bearer " + good, ""},
		"control characters": {"Bearer " + good + "\x00"},
		"not ASCII":          {"Bearer " + good + "é"},
		"huge":               {"Bearer " + strings.Repeat("a", 1<<20)},
		"huge JWT":           {"Bearer ey" + strings.Repeat("a.", 1<<20)},
		"dots":               {"Bearer " + strings.Repeat(".", 1000)},
		"OIDC token":         {"Bearer " + s.job("acme/web", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, route := range []string{"GET /v1/triage", "POST /v1/runs", "POST /mcp"} {
				s.refused(s.send(route, "", func(r *http.Request) { r.Header["Authorization"] = headers }), http.StatusUnauthorized)
			}
			if name == "OIDC token" {
				w := s.send("GET /v1/triage", "", func(r *http.Request) { r.Header["Authorization"] = headers })
				s.refused(w, http.StatusUnauthorized, "one exchange", "POST /v1/token")
			} else {
				s.refused(s.send("POST /v1/token", "", func(r *http.Request) { r.Header["Authorization"] = headers }),
					http.StatusUnauthorized)
			}
		})
	}
	s.through(s.send("GET /v1/triage", "", func(r *http.Request) { r.Header.Set("Authorization", "bearer  "+good) }))
	s.refused(s.send("GET /v1/triage?access_token="+good, ""), http.StatusUnauthorized)
}

// While the directory is down, a valid token is not called invalid, and the answer gives no reason.
func TestDirectoryDown(t *testing.T) {
	t.Parallel()
	s := newService(t)
	secret, _ := s.token(store.Token{Scopes: scopes(store.ScopeRead), Repos: []string{"acme/web"}})
	check(t, s.store.Close())
	s.refused(s.send("GET /v1/triage", secret), http.StatusInternalServerError, `"internal error"`)
	// These tokens are refused without a lookup in the directory.
	for _, bad := range []string{secret[:len(secret)-1] + flip(secret[len(secret)-1]), "blq_s_x"} {
		s.refused(s.send("GET /v1/triage", bad), http.StatusUnauthorized)
	}
	if !strings.Contains(s.log.String(), "database is closed") || strings.Contains(s.log.String(), secret) {
		t.Errorf("log %s", s.log.String())
	}
}
