// Package githubapp implements the service's GitHub App. It has the credentials of the app, and creates clients with
// tokens of the app's installations. The package may import internal/github and store.
package githubapp

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/store"
)

// Config has the credentials of an app.
type Config struct {
	ID     int64
	Key    string        // private key, PEM
	Client github.Config // without a token
}

// App is a GitHub App. It keeps tokens only in memory.
type App struct {
	ID     int64
	key    *rsa.PrivateKey
	now    func() time.Time
	client *github.Client

	mu     sync.Mutex
	tokens map[int64]github.InstallationToken // tokens by installation
	of     map[string]int64                   // installations by repository
}

// New returns an app. Errors: invalid when there is no ID, or the key is not an RSA key.
func New(c Config) (*App, error) {
	if c.ID <= 0 {
		return nil, store.Errorf(store.Invalid, "the ID of the GitHub App is missing")
	}
	key, err := parseKey(c.Key)
	if err != nil {
		return nil, err
	}
	a := &App{ID: c.ID, key: key, now: c.Client.Now, tokens: map[int64]github.InstallationToken{}, of: map[string]int64{}}
	if a.now == nil {
		a.now = time.Now
	}
	a.client, err = github.New(c.Client)
	return a, err
}

func parseKey(text string) (*rsa.PrivateKey, error) {
	bad := store.Errorf(store.Invalid, "the private key of the GitHub App is no RSA key in PEM")
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, bad
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := any.(*rsa.PrivateKey)
	if err != nil || !ok {
		return nil, bad
	}
	return key, nil
}

// Host returns the host of the app's repositories.
func (a *App) Host() string { return a.client.Host() }

// These are the limits of the app's own tokens. GitHub refuses a token that is valid for more than ten minutes, or
// whose start is in the future by GitHub's clock.
const (
	tokenTime = 9 * time.Minute
	tokenSkew = time.Minute
)

// Self returns a client with the app's own token.
func (a *App) Self() (*github.Client, error) {
	now := a.now()
	claims, err := json.Marshal(map[string]any{"iat": now.Add(-tokenSkew).Unix(),
		"exp": now.Add(tokenTime - tokenSkew).Unix(), "iss": strconv.FormatInt(a.ID, 10)})
	if err != nil {
		return nil, err
	}
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + encode(claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, a.key, crypto.SHA256, sum[:])
	if err != nil {
		return nil, err
	}
	return a.client.As(text + "." + encode(signature)), nil
}

// early is the time before the expiry of a token at which the token is replaced.
const early = 5 * time.Minute

// For returns a client for the repositories of an installation.
func (a *App) For(ctx context.Context, installation int64) (*github.Client, error) {
	a.mu.Lock()
	t, ok := a.tokens[installation]
	a.mu.Unlock()
	if !ok || a.now().Add(early).After(t.Expires) {
		self, err := a.Self()
		if err != nil {
			return nil, err
		}
		if t, err = self.CreateInstallationToken(ctx, installation); err != nil {
			return nil, err
		}
		a.mu.Lock()
		a.tokens[installation] = t
		a.mu.Unlock()
	}
	return a.client.As(t.Token), nil
}

// ForRepo returns a client for a repository. Errors: not_found when the app is not installed there.
func (a *App) ForRepo(ctx context.Context, repo string) (*github.Client, error) {
	key := strings.ToLower(repo)
	a.mu.Lock()
	installation, ok := a.of[key]
	a.mu.Unlock()
	if !ok {
		self, err := a.Self()
		if err != nil {
			return nil, err
		}
		found, err := self.InstallationOf(ctx, repo)
		if err != nil {
			return nil, err
		}
		installation = found.ID
		a.mu.Lock()
		a.of[key] = installation
		a.mu.Unlock()
	}
	return a.For(ctx, installation)
}

// Forget drops the cached installation of a repository, and the token of this installation. Callers use it after
// an unauthorized error, before they try again. They also use it when a repository is withdrawn.
func (a *App) Forget(repo string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := strings.ToLower(repo)
	delete(a.tokens, a.of[key])
	delete(a.of, key)
}
