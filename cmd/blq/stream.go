package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/store"
)

// remoteOff is the value of --remote for a run that is not sent, even if the environment names a server.
const remoteOff = "off"

// streamFlags are the flags of commands that can send a run while it runs.
type streamFlags struct {
	server string
	repo   string
	wait   float64
}

func (f *streamFlags) add(c *cobra.Command) {
	remoteFlag(c, &f.server, "send the run to a server while it goes on, off for not")
	c.Flags().StringVar(&f.repo, "repo", "", "repository that the run is of on the server, `OWNER/NAME`")
	f.wait = 10
	secondsFlag(c, &f.wait, "remote-wait", "`SECONDS` that the end of the command waits for the server at most")
}

// stream sends a run while it runs. Errors of the stream never change the run.
type stream struct {
	app     *app
	to      *client.Client
	repo    string
	named   string // repository that the command line names
	wait    time.Duration
	sending *client.Sending // running transmission of the run, nil until the run has begun
	run     store.Run
}

// stream returns the stream for the run of a command. It returns nil if the run is not sent. If a flag names an invalid
// server or repository, it returns an error, and the command is not started. If only the environment variable names an
// invalid server, it prints the problem and returns nil.
func (a *app) stream(f streamFlags) (*stream, error) {
	url, err := a.serverURL(f.server)
	if url == "" && err == nil {
		url = a.getenv(serverVariable)
	}
	if err != nil || url == "" || url == remoteOff {
		return nil, err
	}
	if f.repo != "" && !store.IsRepoName(f.repo) {
		return nil,
			usage{store.Next(fmt.Errorf("%q is not a repository", f.repo),
				store.Shell{Line: "blq run --repo owner/name -- make"})}
	}
	to, err := a.sender(url)
	if err != nil && f.server == "" {
		fmt.Fprintf(a.stderr, "blq: not sent anywhere: %s: %v\n", serverVariable, err)
		return nil, nil // the command line does not ask to send the run
	}
	if err != nil {
		return nil, usage{err}
	}
	wait := time.Duration(max(0, f.wait) * float64(time.Second))
	return &stream{app: a, to: to, repo: a.repo(f.repo), named: f.repo, wait: wait}, nil
}

// follow sends the run from its beginning. If the run is not recorded, follow sends nothing. Another message says
// that the run is not recorded.
func (s *stream) follow(w *opened, spec *record.Spec) {
	if spec.Redactor == nil && !spec.Raw && !w.Config.Redact.Off {
		spec.Redactor = record.Redactor()
	}
	hide := record.Hider{Redactor: spec.Redactor}
	if hide.Redactor != nil {
		hide.Known = hide.Redactor.Values()
	}
	spec.Begun = func(r store.Run) {
		if r.Serial > 0 {
			s.run = r
			p := client.Pusher{Client: s.to, Source: w.Store, Blobs: w.Blobs, Repo: s.repo, Parallel: 2, Hide: hide}
			s.sending = p.Begin(r.Attempt)
		}
	}
}

// finish waits for the server for a limited time. After that it prints where the run is on the server, or which data is
// missing there. An interrupt only ends the wait.
func (s *stream) finish(w *opened) {
	if s.sending == nil {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, s.wait)
	defer cancel()
	sent, err := s.sending.Finish(ctx)
	a := s.app
	if sent.Complete {
		a.noteSent(w.Project, s.to.URL(), sent)
		line := "sent to " + s.to.URL() + " as " + sent.Ref
		if sent.URL != "" {
			line = "sent as " + sent.Ref + ": " + sent.URL
		}
		fmt.Fprintln(a.stderr, a.notes.paint(dim, "blq: ")+line)
		a.noteRefused(sent)
		return
	}
	fmt.Fprintf(a.stderr, "blq: %s is not sent%s: %v; it is kept here, send it later: %s\n", s.run.Ref(), arrived(sent),
		err, s.later())
}

// noteRefused prints that the server accepted only a part of a run.
func (a *app) noteRefused(sent client.Pushed) {
	if sent.Refused != nil {
		fmt.Fprintf(a.stderr, "blq: %s has all of it, the server only a part: %v\n", sent.Run.Ref(), sent.Refused)
	}
}

// later returns the command line that sends the missing data.
func (s *stream) later() string {
	command := fmt.Sprintf("blq push %s --server %s", s.run.Ref(), s.to.URL())
	if s.named != "" {
		command += " --repo " + s.named
	}
	return s.app.fromHere(command)
}

// arrived returns a text that says how much of a run has arrived at the server. It returns "" if nothing has arrived.
func arrived(sent client.Pushed) string {
	if sent.Ref == "" {
		return ""
	}
	return fmt.Sprintf(" to its end (%d of %s of its log)", sent.Chunks, count(sent.Of, "piece"))
}
