// Package authtest provides an issuer of OIDC tokens for tests. The issuer is a server on loopback that runs until
// the test ends.
package authtest

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Claims are the claims of a token. A nil value removes a claim.
type Claims map[string]any

// Job returns the claims of a job for a push to main, with some claims changed. Full adds the standard claims.
func Job(repo string, id int64, changes ...Claims) Claims {
	c := Claims{
		"sub":        "repo:" + repo + ":ref:refs/heads/main",
		"repository": repo, "repository_id": fmt.Sprint(id), "repository_visibility": "private",
		"run_id": "1001", "run_number": "7", "run_attempt": "1", "check_run_id": "5005",
		"workflow": "CI", "event_name": "push", "actor": "octocat", "actor_id": "1",
		"ref": "refs/heads/main", "ref_type": "branch", "base_ref": "", "head_ref": "",
		"sha": "1111111111111111111111111111111111111111", "runner_environment": "github-hosted",
	}
	for _, change := range changes {
		maps.Copy(c, change)
	}
	return c
}

// Issuer signs tokens as GitHub does for jobs.
type Issuer struct {
	*httptest.Server
	Audience string           // default audience of tokens
	Now      func() time.Time // the issuer's clock

	t       testing.TB
	lock    sync.Mutex
	keys    []key // the last key signs
	made    int   // number of tokens and keys so far
	down    bool
	name    string
	fetches int
	job     Claims
}

type key struct {
	id      string
	private *rsa.PrivateKey
}

// NewIssuer starts an issuer of tokens for an audience.
func NewIssuer(t testing.TB, audience string) *Issuer {
	i := &Issuer{Audience: audience, Now: time.Now, t: t, job: Claims{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.discovery)
	mux.HandleFunc("GET /.well-known/jwks", i.jwks)
	mux.HandleFunc("GET /request", i.request)
	i.Server = httptest.NewServer(mux)
	i.name = i.URL
	t.Cleanup(i.Close)
	i.Rotate(false)
	return i
}

// Rotate makes a new signing key. If keep is set, the old keys stay published.
func (i *Issuer) Rotate(keep bool) {
	i.lock.Lock()
	defer i.lock.Unlock()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		i.t.Fatal(err)
	}
	if !keep {
		i.keys = nil
	}
	i.made++
	i.keys = append(i.keys, key{fmt.Sprintf("key-%d", i.made), private})
}

// Key returns the signing key and its ID.
func (i *Issuer) Key() (*rsa.PrivateKey, string) {
	i.lock.Lock()
	defer i.lock.Unlock()
	k := i.keys[len(i.keys)-1]
	return k.private, k.id
}

// Down makes the issuer answer 503, or makes it serve again.
func (i *Issuer) Down(down bool) {
	i.lock.Lock()
	defer i.lock.Unlock()
	i.down = down
}

// CallItself changes the issuer's name in its own metadata.
func (i *Issuer) CallItself(name string) {
	i.lock.Lock()
	defer i.lock.Unlock()
	i.name = name
}

// Fetches returns how many times the keys were fetched.
func (i *Issuer) Fetches() int {
	i.lock.Lock()
	defer i.lock.Unlock()
	return i.fetches
}

// Full returns the claims with the standard claims added: issuer, audience, times and a unique ID. A claim that is nil
// is left out.
func (i *Issuer) Full(c Claims) Claims {
	i.lock.Lock()
	i.made++
	id := fmt.Sprintf("jti-%d", i.made)
	i.lock.Unlock()
	now := i.Now()
	full := Claims{
		"iss": i.URL, "aud": i.Audience, "jti": id,
		"iat": now.Unix(), "nbf": now.Add(-10 * time.Second).Unix(), "exp": now.Add(5 * time.Minute).Unix(),
	}
	maps.Copy(full, c)
	maps.DeleteFunc(full, func(_ string, v any) bool { return v == nil })
	return full
}

// Token returns a signed token.
func (i *Issuer) Token(c Claims) string {
	private, id := i.Key()
	return Sign(i.t, jose.RS256, private, id, i.Full(c))
}

// Sign signs claims with any algorithm and key.
func Sign(t testing.TB, alg jose.SignatureAlgorithm, with any, keyID string, c Claims) string {
	t.Helper()
	options := (&jose.SignerOptions{}).WithType("JWT")
	if keyID != "" {
		options = options.WithHeader("kid", keyID)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: with}, options)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// Env returns the environment variables with which a job requests tokens with the given claims.
func (i *Issuer) Env(job Claims) []string {
	i.lock.Lock()
	defer i.lock.Unlock()
	i.job = job
	return []string{"ACTIONS_ID_TOKEN_REQUEST_URL=" + i.URL + "/request?api-version=2.0",
		"ACTIONS_ID_TOKEN_REQUEST_TOKEN=" + requestToken}
}

const requestToken = "request-token"

func (i *Issuer) request(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+requestToken {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	i.lock.Lock()
	job := maps.Clone(i.job)
	i.lock.Unlock()
	if audience := r.URL.Query().Get("audience"); audience != "" {
		job["aud"] = audience
	}
	reply(w, map[string]any{"count": 1, "value": i.Token(job)})
}

func (i *Issuer) discovery(w http.ResponseWriter, _ *http.Request) {
	i.lock.Lock()
	defer i.lock.Unlock()
	if i.down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	reply(w, map[string]any{"issuer": i.name, "jwks_uri": i.URL + "/.well-known/jwks",
		"id_token_signing_alg_values_supported": []string{"RS256"}})
}

func (i *Issuer) jwks(w http.ResponseWriter, _ *http.Request) {
	i.lock.Lock()
	defer i.lock.Unlock()
	i.fetches++
	if i.down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	var set jose.JSONWebKeySet
	for _, k := range i.keys {
		set.Keys = append(
			set.Keys, jose.JSONWebKey{Key: k.private.Public(), KeyID: k.id, Algorithm: string(jose.RS256), Use: "sig"})
	}
	reply(w, set)
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // an error means that the client has disconnected
}
