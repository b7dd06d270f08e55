package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/blq-ci/blq/internal/dispatch"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/store"
)

// newCommands returns the commands that start workflows. It returns nil if the configuration names no file of commands.
func newCommands(c *Config, runs store.RunReader, log *slog.Logger) (runner.Commands, error) {
	if c.Dispatch == "" {
		return nil, nil
	}
	commands, err := dispatch.Load(c.Dispatch)
	if err != nil {
		return nil, err
	}
	client, err := dispatcher(c)
	if err != nil {
		return nil, err
	}
	return dispatch.New(dispatch.Config{Commands: commands, GitHub: client, Runs: runs, Log: log}), nil
}

// dispatcher returns the client for GitHub's API that starts workflows. If GitHub asks the client to retry later, the
// client waits only a short time, because callers wait.
func dispatcher(c *Config) (*github.Client, error) {
	client, err := github.New(
		github.Config{API: c.GitHubAPI, Token: c.DispatchKey, Agent: "blqd", Patience: 3 * time.Second})
	return client, store.Next(err, store.Shell{Line: "blqd serve --github-api https://api.github.com"})
}

// starting checks the workflows that callers may start, and reports the results.
func (d *doctor) starting(ctx context.Context) {
	if d.config.Dispatch == "" {
		return
	}
	commands, err := dispatch.Load(d.config.Dispatch)
	if !d.check("dispatch", fmt.Sprintf("%d commands in %s", len(commands), d.config.Dispatch), err) {
		return
	}
	client, err := dispatcher(&d.config)
	if err != nil {
		d.check("dispatch", "", err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	for _, c := range commands {
		err := client.CheckWorkflow(ctx, c.Repo, c.Workflow)
		d.check("dispatch", c.Name+" of "+c.Repo+": "+c.Workflow+" is there", store.Hint(
			err, "%s", "check "+d.config.Dispatch+" and "+envName("dispatch-token")+": it needs to write actions of "+c.Repo))
	}
}
