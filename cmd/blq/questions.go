package main

import (
	"context"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/project/backend"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/remote"
	"github.com/blq-ci/blq/store"
)

// questions are what can be asked, here or of a server. The answers are the
// same, and are shown the same.
type questions interface {
	Triage(ctx context.Context, p query.TriageParams) (query.Triage, error)
	Events(ctx context.Context, p query.EventsParams) (query.EventList, error)
	EventDetails(ctx context.Context, ref string) (query.EventDetails, error)
	Context(ctx context.Context, ref string, n int) (query.Context, error)
	Inspect(ctx context.Context, ref string, p query.InspectParams) (query.Inspection, error)
	Info(ctx context.Context, p query.InfoParams) (query.Info, error)
	Brief(ctx context.Context, p query.InfoParams) (query.Briefing, error)
	Output(ctx context.Context, p query.OutputParams) (query.Output, error)
	WriteOutput(ctx context.Context, p query.OutputParams, w io.Writer) error
	RawOutput(ctx context.Context, ref, stream string, w io.Writer) error
	Follow(ctx context.Context, p query.OutputParams, w io.Writer) error
	Status(ctx context.Context, p query.StatusParams) (query.Status, error)
	History(ctx context.Context, p query.HistoryParams) (query.History, error)
	Diff(ctx context.Context, p query.DiffParams) (query.Diff, error)
	Query(ctx context.Context, p query.QueryParams) (query.Table, error)
	Check(ctx context.Context, p query.CheckParams) (query.Check, error)
	Report(ctx context.Context, p markdown.Params) (markdown.Report, error)
}

// here asks the .lq folder.
type here struct{ *query.Asker }

func (h here) Report(ctx context.Context, p markdown.Params) (markdown.Report, error) {
	return markdown.Write(ctx, h.Asker, p)
}

// there asks a server.
type there struct{ *remote.Client }

// Inspect adds the source and its history where this is a checkout of the
// repository that the event is of.
func (t there) Inspect(ctx context.Context, ref string, p query.InspectParams) (query.Inspection, error) {
	in, err := t.Client.Inspect(ctx, ref, p)
	if err != nil {
		return in, err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return in, nil // what is here is not asked for
	}
	if of, _, named := strings.Cut(in.Ref, "@"); named && of == ci.Remote(cwd) {
		backend.Files(project.Top(cwd)).Surround(ctx, &in, p)
	}
	return in, nil
}

// whereFlags say of whom to ask.
type whereFlags struct{ server, repo string }

// everyRepo asks of all repositories that one may see.
const everyRepo = "all"

// whereFlags adds --remote and --repo to a command that asks, or to those below.
func (a *app) whereFlags(c *cobra.Command) {
	for _, below := range c.Commands() {
		a.whereFlags(below)
	}
	if c.HasSubCommands() {
		return
	}
	remoteFlag(c, &a.where.server, "ask a server in place of the .lq folder")
	c.Flags().StringVar(&a.where.repo, "repo", "", "with --remote: of this repository, `OWNER/NAME`, or of "+everyRepo+" (default: "+repoVariable+", else the CI system's or git's origin)")
}

// questions returns whom to ask.
func (a *app) questions(ctx context.Context) (questions, error) {
	if a.where.server == "" {
		if a.where.repo != "" {
			return nil, usage{store.Hint(store.Errorf(store.Invalid, "--repo goes with --remote: here are the runs of one repository"), "%s --remote --repo %s", a.command, a.where.repo)}
		}
		w, err := a.open(ctx)
		if err != nil {
			return nil, err
		}
		return here{w.ask}, nil
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
		return nil, usage{store.Hint(store.Errorf(store.Invalid, "%q is no repository: it has the form owner/name", repo), "blq status --remote --repo all")}
	}
	a.remote, a.ofRepo = " --remote", ""
	if a.where.server != fromEnvironment {
		a.remote += " " + server.URL()
	}
	if a.where.repo != "" {
		a.ofRepo = " --repo " + a.where.repo
	}
	return there{&remote.Client{Server: server, Repo: repo}}, nil
}

// asks are the commands that --remote goes with.
var asks = regexp.MustCompile(`^blq (triage|events|errors|warnings|event|context|inspect|info|output|status|history|diff|report|query|ci check)( |$)`)

// there makes a command that asks ask where the answer came from.
func (a *app) there(command string) string {
	if a.remote == "" || !asks.MatchString(command) {
		return command
	}
	words, comment, _ := strings.Cut(command, "   #")
	if comment != "" {
		comment = "   #" + comment
	}
	if !strings.Contains(words, " --repo") {
		words += a.ofRepo
	}
	if !strings.Contains(words, " --remote") {
		words += a.remote
	}
	return words + comment
}

// streaming makes blq run send its run to where the answer came from.
func (a *app) streaming() string { return a.remote + a.ofRepo }
