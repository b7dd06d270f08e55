package main

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/githubapp"
	"github.com/blq-ci/blq/store"
)

// webhookSecrets returns the secrets of webhooks. The error is Invalid if an entry of c.OwnerHooks is not
// OWNER=SECRET.
func (c *Config) webhookSecrets() ([]ingest.WebhookSecret, error) {
	var list []ingest.WebhookSecret
	if c.Webhook != "" {
		list = append(list, ingest.WebhookSecret{Secret: []byte(c.Webhook)})
	}
	for _, entry := range strings.FieldsFunc(c.OwnerHooks, isHookEnd) {
		owner, secret, ok := strings.Cut(strings.TrimSpace(entry), "=")
		if !ok || secret == "" || !store.IsRepoName(owner+"/x") {
			return nil, store.Next(wrong("webhook-secrets", "each entry must be OWNER=SECRET", ""),
				store.Shell{Line: "export BLQ_WEBHOOK_SECRETS_FILE=/run/secrets/webhooks", Why: "with lines OWNER=SECRET"})
		}
		list = append(list, ingest.WebhookSecret{Owner: owner, Secret: []byte(secret)})
	}
	return list, nil
}

func isHookEnd(r rune) bool { return r == ',' || r == '\n' }

func isHookMark(r rune) bool { return isHookEnd(r) || r == '=' }

// confirmTimeout is the max time that GitHub may take to confirm the name of a repository.
const confirmTimeout = 10 * time.Second

// confirmer returns a function that asks GitHub for a repository. The function uses the credentials of the GitHub App
// if the app is installed in the repository. confirmer returns nil if GitHub's API is turned off.
func (c *Config) confirmer(app *githubapp.App) (
	func(ctx context.Context, host, name string) (payload.Repository, error), error) {
	if c.GitHubAPI == "" {
		return nil, nil
	}
	own, err := github.New(
		github.Config{API: c.GitHubAPI, Token: cmp.Or(c.GitHubToken, c.DispatchKey), Agent: "blqd", Patience: -1})
	if err != nil {
		return nil, store.Next(err, store.Shell{Line: "blqd serve --github-api https://api.github.com"})
	}
	return func(ctx context.Context, host, name string) (payload.Repository, error) {
		if host != own.Host() {
			return payload.Repository{}, store.Errorf(store.NotFound, "%s cannot be asked", host)
		}
		ctx, cancel := context.WithTimeout(ctx, confirmTimeout)
		defer cancel()
		client := own
		if app != nil {
			if installed, err := app.ForRepo(ctx, name); err == nil {
				client = installed
			}
		}
		r, err := client.Repo(ctx, name)
		return payload.Repository{ID: r.ID, FullName: r.Name, DefaultBranch: r.DefaultBranch, Private: r.Private}, err
	}, nil
}
