package main

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/project/backend"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/query/remote"
	"github.com/blq-ci/blq/store"
)

// asked answers questions from the .lq folder or from a server. The answers of both have the same form.
type asked interface {
	questions.Answerer
	// These methods read logs. WriteOutput, RawOutput and Follow write a log in parts, because a log may be larger than
	// memory.
	Output(ctx context.Context, p query.OutputParams) (query.Output, error)
	WriteOutput(ctx context.Context, p query.OutputParams, w io.Writer) error
	RawOutput(ctx context.Context, ref, stream string, w io.Writer) error
	Follow(ctx context.Context, p query.OutputParams, w io.Writer) error
}

// remoteAsker answers questions by asking a server.
type remoteAsker struct{ *remote.Client }

// Answer asks a question. If the current directory is a checkout of an event's repository, it adds local source lines
// and their history to the event.
func (t remoteAsker) Answer(ctx context.Context, row questions.Row, params, answer any) error {
	if err := t.Client.Answer(ctx, row, params, answer); err != nil {
		return err
	}
	in, isEvent := answer.(*query.Inspection)
	if !isEvent {
		return nil
	}
	cwd, err := os.Getwd()
	if err != nil {
		return nil // the answer is useful without the local files
	}
	if of, _, named := strings.Cut(in.Ref, "@"); named && of == ci.Remote(cwd) {
		backend.Files(project.Top(cwd)).Surround(ctx, in, params.(query.InspectParams))
	}
	return nil
}

// whereFlags are the flags that select where to ask.
type whereFlags struct{ server, repo string }

// everyRepo is the value of --repo that stands for all repositories that the caller may see.
const everyRepo = "all"

// whereFlags adds --remote and --repo to a command that asks questions, or to the commands below it.
func (a *app) whereFlags(c *cobra.Command) {
	for _, below := range c.Commands() {
		a.whereFlags(below)
	}
	if c.HasSubCommands() {
		return
	}
	remoteFlag(c, &a.where.server, "ask a server in place of the .lq folder")
	c.Flags().StringVar(&a.where.repo, "repo", "", "with --remote: of this repository, `OWNER/NAME`, or of "+everyRepo+
		" (default: "+repoVariable+", else the CI system's or git's origin)")
}

// asked returns who answers questions: a server or the .lq folder.
func (a *app) asked(ctx context.Context) (asked, error) {
	if a.where.server == "" {
		if a.where.repo != "" {
			return nil, usage{store.Next(store.Errorf(store.Invalid,
				"--repo goes with --remote: here are the runs of one repository"),
				store.Shell{Line: a.command + " --remote --repo " + shellword.Quote(a.where.repo)})}
		}
		w, err := a.open(ctx)
		if err != nil {
			return nil, err
		}
		return questions.Local{Asker: w.ask, Line: cmdline.Words}, nil
	}
	url, err := a.serverURL(a.where.server)
	if err != nil {
		return nil, err
	}
	server, err := a.client(url)
	if err != nil {
		return nil, usage{err}
	}
	repo := a.repo(a.where.repo)
	switch {
	case repo == everyRepo:
		repo = ""
	case repo != "" && !store.IsRepoName(repo):
		return nil, usage{store.Next(store.Errorf(store.Invalid,
			"%q is not a repository: it has the form owner/name", repo),
			store.NewCall("status", "", "remote", true, "repo", "all"))}
	}
	a.remote = store.Arguments{{Name: "remote", Value: true}}
	if a.where.server != fromEnvironment {
		a.remote[0].Value = server.URL()
	}
	if a.where.repo != "" {
		a.remote = append(store.Arguments{{Name: "repo", Value: a.where.repo}}, a.remote...)
	}
	return remoteAsker{&remote.Client{Server: server, Repo: repo, Hide: backend.HideInJob()}}, nil
}

// asks reports whether a call asks a question and therefore accepts --remote.
func asks(call store.Call) bool {
	all := questions.All()
	row, found := all.Find(call.Tool)
	if !found {
		row, _ = all.FindTool(call.Tool)
	}
	return row.Class == questions.Read && row.Needs == questions.Nothing
}

// stepText returns a next step as text. If the step asks a question, the command in the text asks the same server or
// folder as the current command.
func (a *app) stepText(step store.NextStep) string {
	call, ok := step.(store.Call)
	if !ok || a.remote == nil || !asks(call) {
		return a.fromHere(cmdline.Of(step))
	}
	for _, place := range a.remote {
		if call.Arguments.Get(place.Name) == nil {
			call.Arguments = append(slices.Clip(call.Arguments), place)
		}
	}
	return a.fromHere(cmdline.Of(call))
}

// streaming returns an example of a command line that records a run. If questions go to a server, the command line
// sends the run to that server.
func (a *app) streaming() string {
	call := store.NewCall("run", "", "extra", []string{"make"})
	call.Arguments = append(call.Arguments, a.remote...)
	return a.fromHere(cmdline.Of(call))
}
