package main

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// proposals opens pull requests for callers with the scope graph:write. It implements query.Proposals.
type proposals struct {
	github github.Proposer // client for GitHub, nil without a token
	log    *slog.Logger
}

// newProposals returns the proposals of the service. If GitHub asks the client for its API to retry later, the client
// waits only a short time, because callers wait.
func newProposals(c *Config, log *slog.Logger) (proposals, error) {
	if c.PullsKey == "" {
		return proposals{log: log}, nil
	}
	client, err := github.New(
		github.Config{API: c.GitHubAPI, Token: c.PullsKey, Agent: "blqd", Patience: 3 * time.Second})
	return proposals{client, log}, store.Next(err, store.Shell{Line: "blqd serve --github-api https://api.github.com"})
}

// isPlain reports whether a name is safe in a commit message. A name is not safe if it could mention a
// person or close an issue.
func isPlain(name string) bool {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-"
	return name != "" && len(name) <= 80 && strings.Trim(name, plain) == "" && strings.IndexAny(name, plain) == 0
}

// Propose implements query.Proposals.
func (p proposals) Propose(ctx context.Context, change query.Proposal) (url, hint string, err error) {
	caller := auth.From(ctx)
	if err := auth.Allow(caller, auth.Scope(store.ScopeGraphWrite)); err != nil || !caller.MayRead(change.Repo) {
		return "", "", nil
	}
	if p.github == nil {
		return "", "this server opens no pull requests: apply the patch with git apply. Its operator may set " +
			envName("pulls-token"), nil
	}
	title := "architecture: update a node"
	if isPlain(change.Node) {
		title = "architecture: update " + change.Node
	}
	got, err := p.github.Propose(ctx, github.Proposal{Repo: change.Repo, File: change.File,
		Branch: "blq/graph-" + change.Key[:12], Title: title, Edit: change.Edit,
		Body: "Changes " + strings.Join(change.Changes, " and ") + " of the node " +
			markdown.Code(change.Node, 200) + " in " +
			markdown.Code(change.File, 200) + ", as " + markdown.Code(caller.ID, 100) + " asked with `update_node`.\n"})
	if err != nil {
		p.log.WarnContext(ctx, "pull request not opened", "repo", change.Repo, "caller", caller.ID, "error", err)
		return "", "", declined(err, change.Repo)
	}
	if got.Number == 0 {
		return "", "the default branch has this change already", nil
	}
	p.log.InfoContext(ctx, "pull request opened", "repo", change.Repo, "number", got.Number, "caller", caller.ID)
	return got.URL, "", nil
}

// declined returns the error for the caller if GitHub refuses a request. If the service's token lacks a permission, the
// error says that the operator has to act.
func declined(err error, repo string) error {
	switch store.CodeOf(err) {
	case store.Unauthorized, store.Forbidden:
		return store.Hint(store.Errorf(store.Unavailable, "GitHub does not let this service open pull requests of %s: %w",
			repo, err), "ask the service's operator: its token needs contents: write and pull-requests: write")
	case store.NotFound:
		return store.Hint(store.Errorf(store.Unavailable, "GitHub does not show this service what it has to change in %s: "+
			"%w", repo, err), "ask the service's operator whether its token may read the repository, and push the facts of "+
			"the default branch anew")
	case store.Invalid:
		return store.Hint(store.Errorf(store.Conflict, "GitHub does not take the pull request for %s: %w", repo, err),
			"rules for branches may forbid it: ask who maintains the repository")
	}
	return err
}
