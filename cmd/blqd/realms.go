package main

import (
	"context"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/store"
)

// maxContracts is the max number of bytes of files of realms that stay in memory. Parsed files take about ten times as
// much.
const maxContracts = 6 << 20

// realms returns the realms that the caller may see.
func (s *service) realms(ctx context.Context) realms.Stored {
	caller := auth.From(ctx)
	return realms.Stored{Scope: caller.Read, Facts: s.allFacts(), Files: s.kept, Told: s.places.store,
		Reader: caller.ID}
}

// realmWork returns the operations on realms that callers can use. They read pull requests with the token of the
// service.
func (s *service) realmWork(of realms.Stored) realms.Work {
	return realms.Work{Stored: of, Kept: s.places.store, Forge: s.forge, Host: github.HostOf(s.config.GitHubAPI)}
}

// newPulls returns the source of pull requests. It returns nil if the service has no token for GitHub, or no URL of
// GitHub's API.
func newPulls(c *Config) (*realms.Forge, error) {
	if c.GitHubToken == "" || c.GitHubAPI == "" {
		return nil, nil
	}
	client, err := github.New(github.Config{API: c.GitHubAPI, Token: c.GitHubToken, Agent: "blqd", Patience: -1})
	if err != nil {
		return nil, store.Next(err, store.Shell{Line: "blqd serve --github-api https://api.github.com"})
	}
	return &realms.Forge{Client: client}, nil
}

// allFacts returns the facts of all repositories.
func (s *service) allFacts() facts.Stored {
	return facts.Stored{Store: s.places.store, Blobs: s.places.blobs, Scope: store.Everything(),
		DefaultBranch: branches{s.places.store}.DefaultBranch, Sets: s.facts}
}

// announcer returns the realms.Announcer that tells repositories about changed contracts.
func (s *service) announcer() realms.Announcer {
	return realms.Announcer{Facts: s.allFacts(), Store: s.places.store, Now: time.Now, Hook: s.hook}
}

// announce checks the contracts that a repository has sent, and stores notifications about changes. It does nothing for
// contracts of forks. If the check fails, maintenance tries again.
func (s *service) announce(ctx context.Context, snapshot store.Snapshot) {
	if snapshot.Kind != store.FactContracts || snapshot.Fork || snapshot.Branch == "" {
		return
	}
	if err := s.announcer().Repo(ctx, snapshot.Repo); err != nil {
		s.log.WarnContext(ctx, "contracts not announced yet", "repo", snapshot.Repo, "error", err)
	}
}
