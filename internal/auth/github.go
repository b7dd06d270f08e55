package auth

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/store"
)

// GitHub is the Forge of github.com or of a GitHub Enterprise Server.
type GitHub struct {
	client *github.Client
	host   string
	slots  chan struct{} // limits the concurrent requests of all callers
}

var _ Forge = (*GitHub)(nil)

// GitHubConfig configures the address of GitHub.
type GitHubConfig struct {
	API  string           // "" for https://api.github.com
	Host string           // "" to derive it from API: api.HOST or HOST/api/v3
	Now  func() time.Time // nil for time.Now
}

// NewGitHub returns a GitHub client. When the client reaches GitHub's rate limit, it returns an error and does not
// wait. Errors: invalid when API is neither an https URL nor an http URL on loopback.
func NewGitHub(c GitHubConfig) (*GitHub, error) {
	client, err := github.New(github.Config{API: c.API, Agent: "blqd", Patience: -1, Now: c.Now})
	if err != nil {
		return nil, err
	}
	return &GitHub{client, cmp.Or(c.Host, client.Host()), make(chan struct{}, 32)}, nil
}

// Host implements Forge.
func (g *GitHub) Host() string { return g.host }

// User implements Forge. The token of a job or an installation has no user. For such a token, the name is
// installation- and a part of the token's hash.
func (g *GitHub) User(ctx context.Context, token string) (name string, err error) {
	err = g.ask(ctx, token, func(c *github.Client) error {
		if isInstallation(token) {
			name = fmt.Sprintf("installation-%x", hash(token)[:6])
			return c.CheckInstallation(ctx)
		}
		name, err = c.Login(ctx)
		return err
	})
	return name, asUnauthorized(err)
}

// asUnauthorized turns a not_found error into unauthorized. It is used for requests that every valid token may make.
func asUnauthorized(err error) error {
	if store.CodeOf(err) == store.NotFound {
		return badToken("GitHub does not take the token")
	}
	return err
}

// forgeRepo returns the permissions of the token's owner in a repository. GitHub sends no permissions for an
// installation. But GitHub shows an installation a private repository only if the app is installed on the repository.
func forgeRepo(r github.Repo, token string) ForgeRepo {
	return ForgeRepo{ID: r.ID, Read: !r.Private || r.Permissions.Pull || isInstallation(token), Write: r.Permissions.Push}
}

func isInstallation(token string) bool { return strings.HasPrefix(token, "ghs_") }

// Repo implements Forge.
func (g *GitHub) Repo(ctx context.Context, token, name string) (ForgeRepo, error) {
	var r github.Repo
	err := g.ask(ctx, token, func(c *github.Client) (err error) {
		r, err = c.Repo(ctx, name)
		return err
	})
	return forgeRepo(r, token), err
}

// Repos implements Forge.
func (g *GitHub) Repos(ctx context.Context, token string) ([]ForgeRepo, error) {
	var all []github.Repo
	err := g.ask(ctx, token, func(c *github.Client) (err error) {
		if isInstallation(token) {
			all, err = c.Installed(ctx)
		} else {
			all, err = c.Repos(ctx)
		}
		return err
	})
	list := make([]ForgeRepo, len(all))
	for i, r := range all {
		list[i] = forgeRepo(r, token)
	}
	return list, asUnauthorized(err)
}

// limited marks an error of a forge that has answered that the token has sent too many requests.
type limited struct{ error }

func (l limited) Unwrap() error { return l.error }

// ask calls GitHub with a token, and turns errors into errors of a Forge.
func (g *GitHub) ask(ctx context.Context, token string, question func(*github.Client) error) error {
	select {
	case g.slots <- struct{}{}:
		defer func() { <-g.slots }()
	case <-ctx.Done():
		return store.Errorf(store.Unavailable, "too many requests to GitHub at the same time: %w", ctx.Err())
	}
	err := question(g.client.As(token))
	if after, ok := store.RetryAfter(err); ok {
		if store.CodeOf(err) == store.RateLimited {
			err = limited{err}
		}
		return store.Later(store.Errorf(store.Unavailable, "%w", err), after)
	}
	switch store.CodeOf(err) {
	case store.Unauthorized:
		return badToken("GitHub does not take the token")
	case store.Forbidden, store.Invalid:
		return store.Errorf(store.NotFound, "%w", err) // the token may not read it
	}
	return err
}
