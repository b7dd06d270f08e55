package auth_test

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/auth/authtest"
	"github.com/blq-ci/blq/store"
)

func TestJobExchangesItsToken(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 7)
	w := s.send("POST /v1/token", s.job("acme/web", 7, authtest.Claims{
		"event_name": "pull_request", "ref": "refs/pull/12/merge", "base_ref": "main", "head_ref": "topic",
		"run_attempt": "3",
	}))
	var given api.UploadToken
	check(t, json.Unmarshal(w.Body.Bytes(), &given))
	if given.Repo != "acme/web" || !given.ExpiresAt.Equal(s.clock().Add(time.Hour)) ||
		!auth.TokenPattern.MatchString(given.Token) || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("given %+v, %v", given, w.Header())
	}
	p := s.through(s.send("POST /v1/runs", given.Token))
	want := auth.Principal{
		Kind: auth.KindJob, ID: "job:acme/web", Scopes: scopes(store.ScopeIngest, store.ScopeRead),
		Read: store.Repos("acme/web"), Write: store.Repos("acme/web"), Repo: "acme/web",
		Facts: &auth.Facts{
			Host: "github.com", Repo: "acme/web", RepoID: 7, RunID: "1001", RunAttempt: 3, CheckRunID: "5005", Workflow: "CI",
			Actor:     "octocat",
			EventName: "pull_request", Ref: "refs/pull/12/merge", BaseRef: "main", HeadRef: "topic",
			SHA: "1111111111111111111111111111111111111111",
		},
	}
	if diff := cmp.Diff(want, p, cmp.AllowUnexported(store.Scope{})); diff != "" {
		t.Error(diff)
	}
	if own := s.through(s.send("GET /v1/triage", given.Token)); own.MayRead("acme/api") {
		t.Error("a job may read another repository")
	}
	s.refused(s.send("GET /v1/query", given.Token), http.StatusForbidden)
	if list, err := s.store.Tokens(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("tokens of jobs are listed: %v %v", list, err)
	}
	s.wait(time.Hour)
	s.refused(s.send("POST /v1/runs", given.Token), http.StatusUnauthorized, "expired", "POST /v1/token")
}

func TestRunsBelongToTheJobThatStartedThem(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 7)
	p := s.through(s.send("POST /v1/runs", s.exchange(s.job("acme/web", 7)).Token))
	mine := store.Run{Repo: "acme/web", CI: &store.CI{RunID: "1001", RunAttempt: 1, CheckRunID: "5005"}}
	if !p.MayWriteRun(mine) {
		t.Error("not its own")
	}
	for name, change := range map[string]func(*store.Run){
		"of another repository": func(r *store.Run) { r.Repo = "acme/api" },
		"of no job":             func(r *store.Run) { r.CI = nil },
		"of another run":        func(r *store.Run) { r.CI.RunID = "1002" },
		"of another attempt":    func(r *store.Run) { r.CI.RunAttempt = 2 },
		"of another job":        func(r *store.Run) { r.CI.CheckRunID = "5006" },
	} {
		r := mine
		ci := *mine.CI
		r.CI = &ci
		change(&r)
		if p.MayWriteRun(r) {
			t.Errorf("may add to a run %s", name)
		}
	}
}

func TestTokenIsExchangedOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 7)
	oidc := s.job("acme/web", 7)
	var given, refused int
	var lock sync.Mutex
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			w := s.send("POST /v1/token", oidc)
			lock.Lock()
			defer lock.Unlock()
			switch w.Code {
			case http.StatusOK:
				given++
			case http.StatusUnauthorized:
				refused++
			}
		})
	}
	all.Wait()
	if given != 1 || refused != 9 {
		t.Errorf("given %d, refused %d", given, refused)
	}
	s.refused(s.send("POST /v1/token", oidc), http.StatusUnauthorized, "used before")
	s.anew() // like another replica
	s.refused(s.send("POST /v1/token", oidc), http.StatusUnauthorized, "used before")
	s.exchange(s.job("acme/web", 7))
}

// The IDs of used tokens are kept until the tokens are no longer accepted.
func TestUsedTokensAreForgottenLate(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 7)
	oidc := s.job("acme/web", 7)
	s.exchange(oidc)
	for range 12 {
		s.wait(time.Minute)
		s.refused(s.send("POST /v1/token", oidc), http.StatusUnauthorized)
		s.exchange(s.job("acme/web", 7))
	}
	long := authtest.Claims{"exp": s.clock().Add(20 * time.Minute).Unix()}
	oidc = s.job("acme/web", 7, long)
	s.exchange(oidc)
	s.wait(20*time.Minute + 30*time.Second) // expired, but still valid by a slow clock
	s.exchange(s.job("acme/web", 7))
	s.refused(s.send("POST /v1/token", oidc), http.StatusUnauthorized, "used before")
	s.wait(time.Hour)
	s.exchange(s.job("acme/web", 7))
	if n, err := s.store.ForgetUsed(t.Context(), s.clock()); err != nil || n != 0 {
		t.Errorf("%d were left over: %v", n, err)
	}
}

func TestEnrolment(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.refused(s.send("POST /v1/token", s.job("acme/web", 7)), http.StatusForbidden, "not enrolled",
		"blqd repo enrol acme/web")
	s.enrol("acme/web", 7)
	s.refused(s.send("POST /v1/token", s.job("acme/web", 8)), http.StatusForbidden) // a new repository, same name
	given := s.exchange(s.job("acme/renamed", 7))
	if given.Repo != "acme/web" {
		t.Errorf("a repository that was renamed writes as %s", given.Repo)
	}
	s.enrol("acme/renamed", 7)
	s.refused(s.send("POST /v1/runs", given.Token), http.StatusUnauthorized, "renamed")
	given = s.exchange(s.job("acme/renamed", 7))
	s.through(s.send("POST /v1/runs", given.Token))
	check(t, s.store.WithdrawRepo(t.Context(), store.DefaultHost, 7))
	s.refused(s.send("POST /v1/runs", given.Token), http.StatusForbidden, "not enrolled")
}

// Different forges may use the same repository ID.
func TestSameIDAtAnotherForge(t *testing.T) {
	t.Parallel()
	ghes := authtest.NewIssuer(t, audience)
	s := newService(t, func(c *auth.Config) {
		c.Issuers = append(c.Issuers, auth.Issuer{URL: ghes.URL, Host: "ghes.example.com"})
	})
	ghes.Now = s.clock
	s.enrol("acme/web", 7)
	s.refused(s.send("POST /v1/token", ghes.Token(authtest.Job("acme/web", 7))), http.StatusForbidden,
		"blqd repo enrol acme/web --id 7 --host ghes.example.com")
	_, err := s.store.EnrolRepo(t.Context(), store.EnrolledRepo{Host: "ghes.example.com", ID: 7, Name: "corp/web"})
	check(t, err)
	w := s.send("POST /v1/token", ghes.Token(authtest.Job("corp/web", 7)))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"corp/web"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// forger makes tokens with the keys of the issuer and of a stranger.
type forger struct {
	*service
	t        *testing.T
	private  *rsa.PrivateKey // private key of the issuer
	id       string          // ID of the issuer's key
	stranger *rsa.PrivateKey
	other    *authtest.Issuer
	claims   authtest.Claims
}

func newForger(t *testing.T) *forger {
	t.Helper()
	s := newService(t)
	s.enrol("acme/web", 7)
	private, id := s.issuer.Key()
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	check(t, err)
	other := authtest.NewIssuer(t, audience)
	other.Now = s.clock
	return &forger{s, t, private, id, stranger, other, authtest.Job("acme/web", 7)}
}

// full returns the claims of a job's token with changes; nil removes a claim.
func (f *forger) full(changes authtest.Claims) authtest.Claims {
	c := maps.Clone(f.claims)
	maps.Copy(c, changes)
	return f.issuer.Full(c)
}

// with returns a token of the issuer with changed claims.
func (f *forger) with(changes authtest.Claims) string {
	return authtest.Sign(f.t, jose.RS256, f.private, f.id, f.full(changes))
}

// at returns a time relative to now in the form of claims.
func (f *forger) at(d time.Duration) int64 { return f.clock().Add(d).Unix() }

// refusesAll checks that all tokens are refused.
func (f *forger) refusesAll(tokens map[string]string) {
	for name, token := range tokens {
		f.t.Run(name, func(*testing.T) {
			f.refused(f.send("POST /v1/token", token), http.StatusUnauthorized)
		})
	}
}

func TestForgedTokensAreRefused(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	good := f.with(nil)
	parts := strings.Split(good, ".")
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: publicDER(t, f.private)})
	f.refusesAll(map[string]string{
		"another's key under the issuer's ID": authtest.Sign(t, jose.RS256, f.stranger, f.id, f.full(nil)),
		"another's key under its own ID":      authtest.Sign(t, jose.RS256, f.stranger, "stranger", f.full(nil)),
		"no key ID":                           authtest.Sign(t, jose.RS256, f.private, "", f.full(nil)),
		"key ID that is a path":               authtest.Sign(t, jose.RS256, f.stranger, "../../dev/null", f.full(nil)),
		"key ID that is SQL":                  authtest.Sign(t, jose.RS256, f.stranger, "x' UNION SELECT 'key", f.full(nil)),
		"key brought along": raw(t, map[string]any{"alg": "RS256", "kid": "stranger",
			"jwk": jose.JSONWebKey{Key: f.stranger.Public(), KeyID: "stranger"}}, f.full(nil), f.stranger),
		"key brought along under the ID": raw(t, map[string]any{
			"alg": "RS256", "kid": f.id, "jwk": jose.JSONWebKey{Key: f.stranger.Public(), KeyID: f.id}}, f.full(nil),
			f.stranger),
		"address of keys brought along": raw(
			t, map[string]any{"alg": "RS256", "kid": "key-1", "jku": f.other.URL + "/.well-known/jwks"}, f.full(nil),
			f.stranger),
		"alg none":                         unsigned(t, map[string]any{"alg": "none", "kid": f.id}, f.full(nil)),
		"alg None":                         unsigned(t, map[string]any{"alg": "None", "kid": f.id}, f.full(nil)),
		"no alg":                           unsigned(t, map[string]any{"kid": f.id}, f.full(nil)),
		"alg none with a signature":        unsigned(t, map[string]any{"alg": "none", "kid": f.id}, f.full(nil)) + parts[2],
		"HS256 with the public key as PEM": hs256(t, publicPEM, f.id, f.full(nil)),
		"HS256 with the public key as DER": hs256(t, publicDER(t, f.private), f.id, f.full(nil)),
		"RS512":                            authtest.Sign(t, jose.RS512, f.private, f.id, f.full(nil)),
		"PS256":                            authtest.Sign(t, jose.PS256, f.private, f.id, f.full(nil)),
		"critical header that nobody knows": raw(
			t, map[string]any{"alg": "RS256", "kid": f.id, "crit": []string{"exp2"}, "exp2": 1}, f.full(nil), f.private),
		"signature of another token": parts[0] + "." + parts[1] + "." + strings.Split(f.with(nil), ".")[2],
		"no signature":               parts[0] + "." + parts[1] + ".",
		"other claims under the signature": parts[0] + "." + encode(t, f.full(authtest.Claims{"repository_id": "8"})) +
			"." + parts[2],
		"huge":       f.with(authtest.Claims{"actor": strings.Repeat("a", 20<<10)}),
		"four parts": good + ".x",
		"JSON serialization": `{"payload":"` + parts[1] + `","signatures":[{"protected":"` + parts[0] +
			`","signature":"` + parts[2] + `"}]}`,
	})
	// This token is valid. So the other tokens are refused because of their content, and not because they are made by
	// hand.
	byHand := raw(t, map[string]any{"alg": "RS256", "kid": f.id}, f.full(nil), f.private)
	if w := f.send("POST /v1/token", byHand); w.Code != http.StatusOK {
		t.Errorf("made by hand: %d %s", w.Code, w.Body)
	}
	if w := f.send("POST /v1/token", good); w.Code != http.StatusOK { // the refused attempts have not used the token up
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestUnfitTokensAreRefused(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	good := f.with(nil)
	f.refusesAll(map[string]string{
		"claims that are no object":           raw(t, map[string]any{"alg": "RS256", "kid": f.id}, []int{1}, f.private),
		"claims of other types":               f.with(authtest.Claims{"repository_id": map[string]any{"a": 1}}),
		"another issuer":                      f.other.Token(f.claims),
		"another issuer in our issuer's name": authtest.Sign(t, jose.RS256, f.stranger, "key-1", f.full(nil)),
		"our issuer in another's name":        f.with(authtest.Claims{"iss": f.other.URL}),
		"issuer with a slash more":            f.with(authtest.Claims{"iss": f.issuer.URL + "/"}),
		"issuer in upper case":                f.with(authtest.Claims{"iss": strings.ToUpper(f.issuer.URL)}),
		"no issuer":                           f.with(authtest.Claims{"iss": nil}),
		"another audience":                    f.with(authtest.Claims{"aud": "https://github.com/acme"}),
		"audience that begins like ours":      f.with(authtest.Claims{"aud": audience + ".evil.example"}),
		"ours among audiences":                f.with(authtest.Claims{"aud": []string{audience, "https://f.other.example"}}),
		"no audience":                         f.with(authtest.Claims{"aud": nil}),
		"empty audience":                      f.with(authtest.Claims{"aud": ""}),
		"expired": f.with(
			authtest.Claims{"iat": f.at(-10 * time.Minute), "nbf": f.at(-10 * time.Minute), "exp": f.at(-time.Minute)}),
		"no expiry":       f.with(authtest.Claims{"exp": nil}),
		"expiry as text":  f.with(authtest.Claims{"exp": "tomorrow"}),
		"lasts for years": f.with(authtest.Claims{"exp": f.at(3 * 365 * 24 * time.Hour)}),
		"not yet valid":   f.with(authtest.Claims{"nbf": f.at(2 * time.Minute)}),
		"made in the future": f.with(
			authtest.Claims{"iat": f.at(2 * time.Minute), "exp": f.at(5 * time.Minute)}),
		"no time of making":               f.with(authtest.Claims{"iat": nil}),
		"no ID":                           f.with(authtest.Claims{"jti": nil}),
		"no repository ID":                f.with(authtest.Claims{"repository_id": nil}),
		"repository ID that is no number": f.with(authtest.Claims{"repository_id": "7; DROP"}),
		"negative repository ID":          f.with(authtest.Claims{"repository_id": "-7"}),
		"repository ID in the subject only": f.with(
			authtest.Claims{"repository_id": nil, "sub": "repo:acme@1/web@7:ref:refs/heads/main"}),
		"repository ID that is the owner's": f.with(authtest.Claims{"repository_id": "", "repository_owner_id": "7"}),
		"run ID that is a path":             f.with(authtest.Claims{"run_id": "1/../../evil"}),
		"no run ID":                         f.with(authtest.Claims{"run_id": nil}),
		"a token of ours":                   f.exchange(f.issuer.Token(f.claims)).Token,
		"a GitHub token":                    f.github.Token("ann"),
	})
	t.Run("not enrolled", func(t *testing.T) {
		f.refused(f.send("POST /v1/token", f.with(authtest.Claims{"repository_id": "8"})), http.StatusForbidden)
	})
	// These tokens are accepted. Clocks may differ by up to a minute.
	for name, c := range map[string]authtest.Claims{
		"just expired":   {"iat": f.at(-5 * time.Minute), "nbf": f.at(-5 * time.Minute), "exp": f.at(-30 * time.Second)},
		"not quite yet":  {"iat": f.at(30 * time.Second), "nbf": f.at(30 * time.Second), "exp": f.at(5 * time.Minute)},
		"ID as a number": {"repository_id": 7},
		"one in a list":  {"aud": []string{audience}},
		"no nbf":         {"nbf": nil},
	} {
		if w := f.send("POST /v1/token", f.with(c)); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if w := f.send("POST /v1/token", good); w.Code != http.StatusOK { // the refused attempts have not used the token up
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestNoIssuersNoExchange(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *auth.Config) { c.Issuers, c.Audience = nil, "" })
	s.refused(s.send("POST /v1/token", s.job("acme/web", 7)), http.StatusUnauthorized, "no OIDC tokens")
}

func encode(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	check(t, err)
	return base64.RawURLEncoding.EncodeToString(b)
}

func unsigned(t *testing.T, header, claims any) string {
	t.Helper()
	return encode(t, header) + "." + encode(t, claims) + "."
}

// raw signs a token with a header that libraries refuse to write.
func raw(t *testing.T, header, claims any, with *rsa.PrivateKey) string {
	t.Helper()
	text := encode(t, header) + "." + encode(t, claims)
	return text + "." + base64.RawURLEncoding.EncodeToString(rs256(t, with, text))
}

func hs256(t *testing.T, secret []byte, id string, claims any) string {
	t.Helper()
	text := encode(t, map[string]any{"alg": "HS256", "typ": "JWT", "kid": id}) + "." + encode(t, claims)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func publicDER(t *testing.T, key *rsa.PrivateKey) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	check(t, err)
	return der
}

func rs256(t *testing.T, key *rsa.PrivateKey, text string) []byte {
	t.Helper()
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	check(t, err)
	return signature
}
