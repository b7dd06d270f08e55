package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/store"
)

// pushFlags are the flags of push.
type pushFlags struct {
	server string
	repo   string
	all    bool
	raw    bool
}

func newPush(a *app) *cobra.Command {
	var f pushFlags
	c := &cobra.Command{
		Use:   "push [RUN]...",
		Short: "Send runs to a server",
		Long: `Push sends runs with their logs and events to the server of --server or
BLQ_SERVER. BLQ_TOKEN holds the token. Without RUN it sends every run that has
ended and that this server does not have yet, oldest first.

What was interrupted goes on where it broke; sending a run again changes nothing.
Runs that were recorded with the secrets in them (blq run --no-redact) stay here
unless --no-redact is given again.`,
		Example: `  blq push                    # what the server does not have yet
  blq push build:5 test:6     # these
  blq push --all              # also those that were sent before: it takes what it lacks
  blq push --server https://blq.example.com --repo acme/app`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return a.push(c.Context(), f, args) },
	}
	c.Flags().StringVar(&f.server, "server", "", "`URL` of the server (default: "+serverVariable+")")
	c.Flags().StringVar(&f.repo, "repo", "", "repository that the runs are of, `OWNER/NAME` (default: "+repoVariable+
		", else the CI system's or that of git's origin)")
	c.Flags().BoolVar(&f.all, "all", false, "also runs that were sent before")
	jsonFlags(c, a, pushAnswer{}, "print JSON")
	c.Flags().BoolVar(&f.raw, "no-redact", false, "also runs that were recorded with the secrets in them, as they are")
	return c
}

// pushAnswer is the answer of the command push.
type pushAnswer struct {
	Server string   `json:"server"`
	Runs   []pushed `json:"runs"`
}

// pushed is the result for one run.
type pushed struct {
	Run     string `json:"local_ref"`
	Ref     string `json:"run_ref,omitempty"` // reference of the run on the server
	URL     string `json:"url,omitempty"`
	Status  string `json:"status"` // sent, running (the server has the part so far) or failed
	Error   string `json:"error,omitempty"`
	Attempt string `json:"attempt_id"`
}

func (a *app) push(ctx context.Context, f pushFlags, args []string) error {
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	f.server = cmp.Or(f.server, a.getenv(serverVariable))
	if f.server == "" {
		return usage{store.Next(errors.New("which server? "+serverVariable+" is not set"),
			store.NewCall("push", "", "server", "https://blq.example.com"))}
	}
	to, err := a.sender(f.server)
	if err != nil {
		return err
	}
	if f.repo != "" && !store.IsRepoName(f.repo) {
		return usage{store.Next(fmt.Errorf("%q is not a repository", f.repo),
			store.NewCall("push", "", "repo", "owner/name"))}
	}
	runs, err := w.unsent(ctx, to.URL(), args, f.all)
	if err != nil {
		return err
	}
	if !f.raw {
		if runs, err = a.withoutSecrets(w, runs, len(args) > 0); err != nil {
			return err
		}
	}
	var hide client.Hider
	if !f.raw && !w.Config.Redact.Off {
		hide = record.NewHider()
	}
	answer := pushAnswer{to.URL(), []pushed{}}
	failed := 0
	var last error
	for i, r := range runs {
		p := a.pushOne(ctx, w,
			client.Pusher{Client: to, Source: w.Store, Blobs: w.Blobs, Repo: cmp.Or(a.repo(f.repo), r.Repo), Hide: hide,
				Whole: true}, r)
		answer.Runs = append(answer.Runs, p.pushed)
		if p.err != nil {
			failed, last = failed+1, p.err
		}
		if !a.form.json && (p.err == nil || len(runs) > 1) {
			a.pushLine(p)
		}
		if p.err != nil && stops(p.err) {
			failed += len(runs) - i - 1
			break
		}
	}
	if a.form.json {
		if err := a.json(answer); err != nil {
			return err
		}
	} else if len(runs) == 0 {
		fmt.Fprintf(a.stderr, "nothing to send: %s has every run that has ended here\n", to.URL())
	}
	if failed > 0 {
		return store.Next(fmt.Errorf("%s not sent to %s: %w", count(failed, "run"), to.URL(), last),
			cmp.Or[store.NextStep](store.NextOf(last), store.NewCall("push", "goes on where this broke", "server", to.URL())))
	}
	return nil
}

// stops reports whether an error means that the other runs cannot be sent, either.
func stops(err error) bool {
	code := store.CodeOf(err)
	return code == store.Unauthorized || code == store.Forbidden || code == store.Unavailable ||
		code == store.RateLimited || code == store.Full || errors.Is(err, context.Canceled)
}

// unsent returns the runs to send: the runs that refs name, in their order. If refs is empty, they are the ended runs
// that the server does not have yet, oldest first. If the parameter all is true, they include those that it has.
func (w *opened) unsent(ctx context.Context, server string, refs []string, all bool) ([]store.Run, error) {
	if w.ask.Stale != nil {
		if err := w.ask.Stale(ctx); err != nil {
			return nil, err
		}
	}
	var runs []store.Run
	for _, ref := range refs {
		parsed, err := store.ParseRef(ref)
		if err != nil {
			return nil, err
		}
		r, err := w.Store.Run(ctx, store.Everything(), parsed.Run())
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	if len(refs) > 0 {
		return runs, nil
	}
	known, err := w.Project.Pushed(server)
	if err != nil {
		return nil, err
	}
	list, err := w.Store.Runs(ctx, store.Everything(), store.RunFilter{})
	for i := len(list) - 1; i >= 0; i-- {
		if _, sent := known[list[i].Attempt]; list[i].State != store.StateRunning && (all || !sent) {
			runs = append(runs, list[i])
		}
	}
	return runs, err
}

// withoutSecrets leaves out runs that were recorded with their secrets, and prints a note about them.
// If the user has named such a run, it returns an error. The parameter asked says whether the user has
// named runs.
func (a *app) withoutSecrets(w *opened, runs []store.Run, asked bool) ([]store.Run, error) {
	raw, err := w.Project.Unredacted()
	if err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(slices.Clone(runs), func(r store.Run) bool { return raw[r.Attempt] })
	left := len(runs) - len(kept)
	if left > 0 && asked {
		return nil, store.Next(store.Errorf(store.Invalid, "recorded with the secrets in the log: %s", count(left, "run")),
			store.NewCall("push", "sends it as it is", "no_redact", true))
	}
	if left > 0 {
		fmt.Fprintf(a.stderr, "blq: not sent, because they were recorded with the secrets in the log: %s (blq push "+
			"--no-redact sends them as they are)\n", count(left, "run"))
	}
	return kept, nil
}

// pushResult is the result for a run, with the error if it failed.
type pushResult struct {
	pushed
	client.Pushed
	err error
}

func (a *app) pushOne(ctx context.Context, w *opened, p client.Pusher, r store.Run) pushResult {
	got, err := p.Push(ctx, r.Attempt)
	res := pushResult{Pushed: got, err: err,
		pushed: pushed{Run: r.Ref().String(), Ref: got.Ref, URL: got.URL, Attempt: r.Attempt, Status: "sent"}}
	switch {
	case err != nil:
		res.Status, res.Error = "failed", err.Error()
	case !got.Complete:
		res.Status = "running"
	default:
		a.noteSent(w.Project, p.Client.URL(), got)
	}
	return res
}

// noteSent records that a server has a run. If noteSent cannot store this, blq asks the server at the next push.
func (a *app) noteSent(w *project.Project, server string, p client.Pushed) {
	if err := w.NotePushed(server, project.Pushed{Attempt: p.Run.Attempt, Ref: p.Ref, At: time.Now().UTC()}); err != nil {
		fmt.Fprintf(a.stderr, "blq: not noted that %s was sent: %v\n", p.Run.Ref(), err)
	}
}

func (a *app) pushLine(p pushResult) {
	s := a.style
	switch p.Status {
	case "failed":
		fmt.Fprintf(a.stderr, "blq: %s: %v\n", p.pushed.Run, p.err)
	case "running":
		fmt.Fprintf(a.stdout, "%s → %s  running: what there is of it\n", s.paint(cyan, p.pushed.Run),
			s.paint(cyan, p.pushed.Ref))
	default:
		line := fmt.Sprintf("%s → %s", s.paint(cyan, p.pushed.Run), s.paint(cyan, p.pushed.Ref))
		if p.pushed.URL != "" {
			line += "  " + p.pushed.URL
		}
		fmt.Fprintln(a.stdout, line)
		a.noteRefused(p.Pushed)
	}
}
