package main

import (
	"cmp"
	"context"
	"log/slog"
	"strings"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/store"
)

// newAuthenticator returns the authenticator for the configuration.
func newAuthenticator(c *Config, d auth.Directory, log *slog.Logger) (*auth.Authenticator, error) {
	if c.open() {
		if err := auth.CheckOpen(c.Addr, c.Auth == authNone); err != nil {
			return nil, err
		}
	}
	config := auth.Config{
		Directory: d, Audience: cmp.Or(c.Audience, strings.TrimRight(c.PublicURL, "/")),
		Open: c.open(), AnyHost: c.Auth == authNone, URL: c.PublicURL, Log: log,
		PublicPages: c.PublicPages,
	}
	if config.Audience != "" {
		for _, text := range c.Issuers {
			issuer, err := auth.ParseIssuer(text)
			if err != nil {
				return nil, store.Next(err, store.Shell{Line: "blqd serve --issuers " + auth.GitHubIssuer})
			}
			config.Issuers = append(config.Issuers, issuer)
		}
	}
	if c.GitHubAPI != "" {
		forge, err := auth.NewGitHub(auth.GitHubConfig{API: c.GitHubAPI})
		if err != nil {
			return nil, store.Next(err, store.Shell{Line: "blqd serve --github-api https://api.github.com"})
		}
		config.Forge = forge
	}
	return auth.New(config)
}

// branches returns the default branches of enrolled repositories. It implements store.Ancestry without the history of
// commits.
type branches struct{ directory store.Enrolment }

// DefaultBranch implements store.Ancestry.
func (b branches) DefaultBranch(ctx context.Context, repo string) (string, error) {
	all, err := b.directory.EnrolledRepos(ctx)
	for _, r := range all {
		if strings.EqualFold(r.Name, repo) {
			return r.DefaultBranch, nil
		}
	}
	return "", err
}

// Ancestors implements store.Ancestry.
func (branches) Ancestors(_ context.Context, repo, _, _ string, _ int) ([]string, error) {
	return nil, store.Errorf(store.NotFound, "the history of %s is not known here", repo)
}
