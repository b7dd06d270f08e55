package auth

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/blq-ci/blq/store"
)

// Directory is the part of store.Directory that authentication needs.
type Directory interface {
	EnrolledRepo(ctx context.Context, host string, id int64) (store.EnrolledRepo, error)
	EnrolledRepos(ctx context.Context) ([]store.EnrolledRepo, error)
	Handovers(ctx context.Context) (int64, error)
	CreateToken(ctx context.Context, t store.Token) error
	TokenByHash(ctx context.Context, hash []byte) (t store.Token, known []string, err error)
	UseOnce(ctx context.Context, value string, until time.Time) error
	ForgetUsed(ctx context.Context, before time.Time) (int, error)
	store.SignIns
}

// Config configures which tokens the service accepts.
type Config struct {
	Directory Directory

	// Issuers are the issuers of OIDC tokens that jobs may exchange. Without issuers there is no exchange. Audience
	// is the required audience of these tokens.
	Issuers  []Issuer
	Audience string
	// UploadFor is the time for which a job's token is valid; 0 means one hour. A job that takes longer exchanges
	// another OIDC token.
	UploadFor time.Duration

	// Forge knows what the owner of a GitHub token may read. If Forge is nil, GitHub tokens are refused.
	Forge Forge
	// RemembersFor is the time for which a successful answer of Forge is cached; 0 means two minutes.
	RemembersFor time.Duration

	// Open makes every caller without a token an operator. See CheckOpen for the addresses where this is safe.
	// AnyHost turns off the check that the Host and Origin headers of such requests name this machine.
	Open    bool
	AnyHost bool

	// PublicPages shows the pages of public repositories to everybody.
	PublicPages bool

	// URL is the address of the service for clients. If URL is "", the address comes from the Host header of each
	// request.
	URL string
	// AuthorizationServers are the OAuth servers for clients, and OAuthScopes are the scopes to request there. If there
	// is a Forge and AuthorizationServers is nil, the default is the forge's OAuth server with the scope repo.
	AuthorizationServers []string
	OAuthScopes          []string

	HTTP *http.Client // for fetching issuers' keys, nil for a client with a timeout
	Now  func() time.Time
	Log  *slog.Logger
}

// Authenticator identifies callers and decides what the callers may do.
type Authenticator struct {
	Config
	issuers map[string]*keySet // by URL
	users   *answers
	guards  *guards
	swept   atomic.Int64 // Unix time of the last deletion of used token IDs
}

// New returns an authenticator. Errors: invalid when there is no directory, when there are issuers but no audience, or
// when an issuer has a bad URL or no host.
func New(c Config) (*Authenticator, error) {
	if c.Directory == nil {
		return nil, store.Errorf(store.Invalid, "authentication needs a directory of tokens")
	}
	if len(c.Issuers) > 0 && c.Audience == "" {
		return nil, store.Errorf(store.Invalid, "OIDC tokens need an audience that is this service's own")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.HTTP == nil {
		c.HTTP = newClient()
	}
	if c.Forge != nil && c.AuthorizationServers == nil {
		c.AuthorizationServers = []string{"https://" + c.Forge.Host() + "/login/oauth"}
		if c.OAuthScopes == nil {
			c.OAuthScopes = []string{"repo"}
		}
	}
	c.URL = strings.TrimRight(c.URL, "/")
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	c.UploadFor = cmp.Or(c.UploadFor, time.Hour)
	c.RemembersFor = cmp.Or(c.RemembersFor, 2*time.Minute)
	a := &Authenticator{Config: c, issuers: map[string]*keySet{}, users: newAnswers(c.Now, c.Directory.Handovers),
		guards: newGuards(c.Now)}
	for _, i := range c.Issuers {
		if err := i.check(); err != nil {
			return nil, err
		}
		a.issuers[i.URL] = &keySet{issuer: i, http: c.HTTP, now: c.Now, log: c.Log, fetching: make(chan struct{}, 1)}
	}
	return a, nil
}
