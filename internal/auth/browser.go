package auth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// maxSignIn is the max duration of a sign-in.
const maxSignIn = 12 * time.Hour

// SignIn stores a sign-in for the owner of a GitHub token. The sign-in is valid for the duration lasts, but for
// maxSignIn at most; 0 means maxSignIn. SignIn returns the secret for the browser, and the time at which the secret
// expires. The database has a hash of the secret. It also has the encrypted token. The secret is needed to decrypt the
// token. So somebody who reads the database learns neither the token nor the secret. The errors are those of a request
// that sends the token.
func (a *Authenticator) SignIn(ctx context.Context, token string, lasts time.Duration) (
	secret string, until time.Time, err error) {
	p, err := a.byForge(ctx, token)
	if err != nil {
		return "", until, err
	}
	if lasts <= 0 || lasts > maxSignIn {
		lasts = maxSignIn
	}
	now := a.Now().Truncate(time.Second)
	secret, until = base64.RawURLEncoding.EncodeToString(random(32)), now.Add(lasts)
	sealed, err := seal(secret, token)
	if err != nil {
		return "", until, err
	}
	a.sweep(ctx)
	_, person, _ := strings.Cut(p.ID, ":")
	return secret, until, a.Directory.AddSignIn(ctx, store.SignIn{
		Hash: hash(secret), Person: person, Sealed: sealed, CreatedAt: now, ExpiresAt: until})
}

// SignOut ends the sign-in of a browser.
func (a *Authenticator) SignOut(ctx context.Context, secret string) error {
	return a.Directory.EndSignIn(ctx, hash(secret))
}

// Viewer returns the viewer of a page. secret is the browser's secret, "" for none. The viewer is the operator of a
// service without authentication, a signed-in person, or a visitor if public pages are enabled. The error is
// unauthorized if the person has to sign in; other errors are those of Authorize.
func (a *Authenticator) Viewer(r *http.Request, secret string, action Action) (Principal, error) {
	ctx, cancel := context.WithTimeout(r.Context(), callerTimeout)
	defer cancel()
	p, err := a.viewer(ctx, r, secret)
	if err == nil {
		err = Allow(p, action)
	}
	return p, a.refusal(http.Header{}, r, action, err)
}

func (a *Authenticator) viewer(ctx context.Context, r *http.Request, secret string) (Principal, error) {
	if a.Open {
		return Operator(), a.opened(r)
	}
	if secret != "" {
		p, err := a.guards.check(ctx, string(hash(secret)),
			func(ctx context.Context) (Principal, error) { return a.byBrowser(ctx, secret) })
		if store.CodeOf(err) != store.Unauthorized || !a.PublicPages {
			return p, err
		}
	}
	if !a.PublicPages {
		return Principal{}, store.Errorf(store.Unauthorized, "sign in to see this page")
	}
	return a.visitor(ctx)
}

// byBrowser returns the person who signed in with a browser. The sign-in ends when the person's token becomes
// invalid.
func (a *Authenticator) byBrowser(ctx context.Context, secret string) (Principal, error) {
	key := hash(secret)
	s, err := a.Directory.SignIn(ctx, key)
	switch {
	case store.CodeOf(err) == store.NotFound, err == nil && subtle.ConstantTimeCompare(s.Hash, key) != 1,
		err == nil && !a.Now().Before(s.ExpiresAt):
		return Principal{}, store.Errorf(store.Unauthorized, "you are signed out: sign in again")
	case err != nil:
		return Principal{}, fmt.Errorf("look up sign-in: %w", err)
	case a.Forge == nil:
		return Principal{}, store.Errorf(store.Unauthorized, "nobody can sign in at this service any more")
	}
	token, err := unseal(secret, s.Sealed)
	if err != nil {
		return Principal{}, err
	}
	p, err := a.byForge(ctx, token)
	if store.CodeOf(err) == store.Unauthorized {
		if err := a.Directory.EndSignIn(ctx, key); err != nil {
			return Principal{}, err
		}
		return Principal{}, store.Errorf(store.Unauthorized, "GitHub has ended your access: sign in again")
	}
	return p, err
}

// visitor returns the caller for a viewer without sign-in. A visitor reads the public repositories. Visitors from one
// address share their limits.
func (a *Authenticator) visitor(ctx context.Context) (Principal, error) {
	all, err := a.Directory.EnrolledRepos(ctx)
	if err != nil {
		return Principal{}, err
	}
	var public []string
	for _, r := range all {
		if r.Public {
			public = append(public, r.Name)
		}
	}
	return Principal{Kind: KindVisitor, ID: "visitor " + httpserver.Tenant(ctx), Read: store.Repos(public...),
		Scopes: []store.TokenScope{store.ScopeRead}}, nil
}

// opened checks a request for a page of a service without authentication. The request must name this machine as its
// host. A page of another site may have a link to the service, but may not load anything from the service. If a request
// breaks these rules, the error is forbidden. If AnyHost is true, opened checks nothing.
func (a *Authenticator) opened(r *http.Request) error {
	switch {
	case a.AnyHost:
		return nil
	case !httpserver.IsLoopback(r.Host):
		return store.Errorf(store.Forbidden, "without authentication the address must name this machine, such as localhost")
	case r.Header.Get("Sec-Fetch-Site") == "cross-site" &&
		(r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"):
		return store.Errorf(store.Forbidden, "pages of other sites may only link to this one")
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || !httpserver.IsLoopback(u.Host) {
			return store.Errorf(store.Forbidden, "requests of pages from other sites are not served")
		}
	}
	return nil
}

// FormKey returns a value that the forms of a browser's pages must send. Other sites do not know the value and cannot
// send such forms.
func FormKey(secret string) string {
	key, err := derive(secret, "blq form")
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(key)
}

// IsFormKey reports whether key belongs to the browser's secret.
func IsFormKey(secret, key string) bool {
	want := FormKey(secret)
	return secret != "" && want != "" && subtle.ConstantTimeCompare([]byte(want), []byte(key)) == 1
}

func derive(secret, purpose string) ([]byte, error) {
	return hkdf.Key(sha256.New, []byte(secret), nil, purpose, 32)
}

func sealer(secret string) (cipher.AEAD, error) {
	key, err := derive(secret, "blq sign-in token")
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// seal encrypts a token with a browser's secret.
func seal(secret, token string) ([]byte, error) {
	c, err := sealer(secret)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, c.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return c.Seal(nonce, nonce, []byte(token), nil), nil
}

func unseal(secret string, sealed []byte) (string, error) {
	c, err := sealer(secret)
	if err != nil {
		return "", err
	}
	if len(sealed) < c.NonceSize() {
		return "", fmt.Errorf("read a sign-in: %d bytes", len(sealed))
	}
	token, err := c.Open(nil, sealed[:c.NonceSize()], sealed[c.NonceSize():], nil)
	if err != nil {
		return "", fmt.Errorf("read a sign-in: %w", err)
	}
	return string(token), nil
}
