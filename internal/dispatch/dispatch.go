// Package dispatch starts workflows of GitHub Actions. The operator of a service configures these workflows as
// commands. Callers need a token with the scope run for the repository. The package implements runner.Commands, and
// may import query, internal/auth, internal/github, internal/runner, internal/settings and store.
package dispatch

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Config configures a Starter.
type Config struct {
	Commands []Command
	GitHub   github.Dispatcher
	Runs     store.RunReader // store that receives the runs of workflows
	Every    time.Duration   // interval of checks for a run, 0 for a second
	Log      *slog.Logger    // nil for none
}

// Starter lists and starts commands.
type Starter struct{ Config }

var _ runner.Commands = (*Starter)(nil)

// New returns a Starter. Zero fields of the configuration get their defaults.
func New(c Config) *Starter {
	c.Every = cmp.Or(c.Every, time.Second)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return &Starter{c}
}

// List implements runner.Commands. It returns the commands of the repositories that the
// caller may read.
func (s *Starter) List(ctx context.Context) ([]runner.Command, error) {
	p := auth.From(ctx)
	list := []runner.Command{}
	for _, c := range s.Commands {
		if p.MayRead(c.Repo) {
			list = append(list, runner.Command{
				Name: c.Name, Repo: c.Repo, Cmd: "workflow " + c.Workflow + " on " + c.Branch, Defaults: c.Inputs,
				Description: c.Description, Format: "auto", Capture: true,
			})
		}
	}
	return list, nil
}

// Run implements runner.Commands. It starts the workflow and waits until its first run arrives. It does not wait for
// the end of the run. The error is Forbidden if the caller may only read.
func (s *Starter) Run(ctx context.Context, r runner.Request, wait time.Duration) (runner.Ran, error) {
	c, err := s.find(ctx, r)
	if err != nil {
		return runner.Ran{}, err
	}
	if len(r.Extra) > 0 || r.Exec != "" {
		return runner.Ran{}, store.Errorf(store.Invalid, "%s is a workflow: it takes args, and no further arguments", c.Name)
	}
	d := github.Dispatch{Repo: c.Repo, Workflow: c.Workflow}
	if d.Ref, err = c.branch(r.Branch); err != nil {
		return runner.Ran{}, err
	}
	if d.Inputs, err = c.inputs(r.Args); err != nil {
		return runner.Ran{}, err
	}
	got, err := s.GitHub.Dispatch(ctx, d)
	if err != nil {
		s.Log.WarnContext(ctx, "workflow not started", "repo", d.Repo, "workflow", d.Workflow, "branch", d.Ref, "caller",
			auth.From(ctx).ID, "error", err)
		return runner.Ran{}, s.refused(err, c, d)
	}
	s.Log.InfoContext(ctx, "workflow started", "repo", d.Repo, "workflow", d.Workflow, "branch", d.Ref, "run", got.RunID,
		"caller", auth.From(ctx).ID)
	return s.started(ctx, c, d, got, r, wait)
}

// started returns the result for a started workflow. The result has the first run if the run arrives in time.
func (s *Starter) started(ctx context.Context, c Command, d github.Dispatch, got github.Dispatched, r runner.Request,
	wait time.Duration) (runner.Ran, error) {
	ran := runner.Ran{
		Result: query.Result{Cmd: c.Name + ": workflow " + d.Workflow + " on " + d.Ref, Status: store.StatusRunning,
			Errors: []query.Event{}},
		Workflow: &runner.Workflow{Repo: d.Repo, URL: got.URL},
	}
	if r.Timeout > 0 {
		ran.Warning = "timeout is not passed on: workflows have their own"
	}
	if got.RunID == 0 {
		ran.Warning = "this GitHub does not tell which run it started: look for the newest of the repository"
		return ran, nil
	}
	ran.Workflow.RunID = strconv.FormatInt(got.RunID, 10)
	first, err := s.arrival(ctx, d.Repo, ran.Workflow.RunID, wait)
	if err != nil {
		s.Log.WarnContext(ctx, "look for the run of a workflow", "repo", d.Repo, "run", got.RunID, "error", err)
		return ran, nil // the workflow still runs
	}
	ran.RunRef = first
	return ran, nil
}

// arrival waits for the first run from a workflow run. It returns the reference of the run, or "" if none arrives in
// time.
func (s *Starter) arrival(ctx context.Context, repo, id string, wait time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, min(wait, query.MaxWait*time.Second)) // only the arrival is awaited
	defer cancel()
	every := time.NewTicker(s.Every)
	defer every.Stop()
	for {
		runs, err := s.Runs.Runs(ctx, store.Repos(repo), store.RunFilter{Repo: repo, Job: store.CIJob{RunID: id}, Limit: 1})
		if ctx.Err() != nil {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		if len(runs) > 0 {
			return runs[0].Ref().String(), nil
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			return "", nil
		}
	}
}

// find returns the command that a caller names. The error is NotFound if the caller cannot see such a command. It is
// Forbidden if the caller can see the command but may not start it, and Invalid if several repositories have such a
// command.
func (s *Starter) find(ctx context.Context, r runner.Request) (Command, error) {
	p := auth.From(ctx)
	var found []Command
	for _, c := range s.Commands {
		if c.Name == r.Name && p.MayRead(c.Repo) && (r.Repo == "" || r.Repo == c.Repo) {
			found = append(found, c)
		}
	}
	switch {
	case len(found) == 0:
		return Command{}, store.Next(store.Errorf(store.NotFound, "'%.100s' is not a command that can be started%s",
			r.Name, of(r.Repo)), store.NewCall("commands", "lists them"))
	case len(found) > 1:
		var repos []string
		for _, c := range found {
			repos = append(repos, c.Repo)
		}
		return Command{}, store.Next(store.Errorf(store.Invalid, "several repositories have '%s': %s",
			r.Name, strings.Join(repos, ", ")), store.NewCall("run", "", "command", r.Name, "repo", repos[0]))
	case !p.MayStart(found[0].Repo):
		return Command{}, store.Hint(store.Errorf(store.Forbidden, "who may read %s may not start its commands",
			found[0].Repo), "use a token with scope run (blqd token create --name NAME --scope run --repo %s), or a "+
			"GitHub token of somebody who may write to it", found[0].Repo)
	}
	return found[0], nil
}

func of(repo string) string {
	if repo == "" {
		return ""
	}
	return fmt.Sprintf(" for %.200s", repo)
}

// refused returns the error for the caller if GitHub refuses to start a workflow. If the service's token lacks a
// permission, or the workflow does not exist, the error says that the operator has to act.
func (s *Starter) refused(err error, c Command, d github.Dispatch) error {
	switch store.CodeOf(err) {
	case store.Unauthorized, store.Forbidden, store.NotFound:
		return store.Hint(store.Errorf(store.Unavailable, "GitHub does not let this service start %s of %s", c.Workflow,
			c.Repo), "ask the service's operator: its token needs to write actions there, and the workflow has to exist on "+
			"the default branch")
	case store.Invalid:
		return store.Errorf(store.Invalid, "GitHub does not start %s of %s on %s: %w", c.Workflow, c.Repo, d.Ref, err)
	}
	return err
}
