package main

import (
	"context"
	"time"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/store"
)

// lookUp asks GitHub for a repository.
func lookUp(ctx context.Context, api, name, token string) (github.Repo, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	c, err := github.New(github.Config{API: api, Token: token, Agent: "blqd", Patience: -1})
	if err != nil {
		return github.Repo{}, store.Hint(err, "BLQ_GITHUB_API=https://api.github.com")
	}
	found, err := c.Repo(ctx, name)
	switch {
	case store.CodeOf(err) == store.NotFound:
		return found, store.Next(store.Errorf(store.NotFound,
			"GitHub has no repository %s, or does not show it to this caller", name),
			store.Shell{Line: "export GITHUB_TOKEN=...", Why: "a token that may read it"})
	case err != nil:
		err = store.Errorf(store.CodeOf(err), "GitHub cannot be asked: %w", err)
	case found.ID == 0 || !store.IsRepoName(found.Name):
		err = store.Errorf(store.Unavailable, "GitHub's answer about %s is not valid", name)
	}
	line := "blqd repo enrol " + name + " --id NUMBER"
	if host := github.HostOf(api); host != store.DefaultHost {
		line += " --host " + host
	}
	return found, store.Next(err, store.Shell{Line: line})
}
