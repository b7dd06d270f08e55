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

// remoteOff keeps a run here, whatever the environment says.
const remoteOff = "off"

// streamFlags are the flags of commands whose runs can be sent while they go on.
type streamFlags struct {
	server string
	repo   string
	wait   float64
}

func (f *streamFlags) add(c *cobra.Command) {
	remoteFlag(c, &f.server, "send the run to a server while it goes on, off for not")
	c.Flags().StringVar(&f.repo, "repo", "", "repository that the run is of on the server, `OWNER/NAME`")
	c.Flags().Float64Var(&f.wait, "remote-wait", 10, "`SECONDS` that the end of the command waits for the server at most")
}

// stream sends a run while it goes on. Nothing that goes wrong with it changes
// the run.
type stream struct {
	app    *app
	to     *client.Client
	repo   string
	named  string // the repository, on the command line
	wait   time.Duration
	ended  chan struct{}
	done   chan struct{}
	cancel context.CancelFunc
	sent   client.Pushed
	err    error
	run    store.Run
}

// stream returns what sends the run of a command, nil where nothing is to be
// sent. A server that makes no sense is told before the command runs.
func (a *app) stream(f streamFlags) (*stream, error) {
	url, err := a.serverURL(f.server)
	if url == "" && err == nil {
		url = a.getenv(serverVariable)
	}
	if err != nil || url == "" || url == remoteOff {
		return nil, err
	}
	if f.repo != "" && !store.IsRepoName(f.repo) {
		return nil, usage{store.Hint(fmt.Errorf("%q is no repository", f.repo), "blq run --repo owner/name -- make")}
	}
	to, err := a.sender(url)
	if err != nil && f.server == "" {
		fmt.Fprintf(a.stderr, "blq: not sent anywhere: %s: %v\n", serverVariable, err)
		return nil, nil // nobody asked for it on this command line
	}
	if err != nil {
		return nil, usage{err}
	}
	return &stream{app: a, to: to, repo: a.repo(f.repo), named: f.repo, wait: time.Duration(max(0, f.wait) * float64(time.Second)), ended: make(chan struct{}), done: make(chan struct{})}, nil
}

// follow makes the recorder tell of its run, and sends it from then on.
func (s *stream) follow(w *opened, spec *record.Spec) {
	spec.Begun = func(r store.Run) {
		if r.Serial == 0 {
			close(s.done) // it is not recorded, and that is told
			return
		}
		var ctx context.Context
		ctx, s.cancel = context.WithCancel(context.Background())
		s.run = r
		p := client.Pusher{Client: s.to, Source: w.Store, Blobs: w.Blobs, Repo: s.repo, Parallel: 2}
		go func() {
			defer close(s.done)
			s.sent, s.err = p.Follow(ctx, r.Attempt, s.ended)
		}()
	}
}

// finish waits for the server as long as it may, and tells where the run is, or
// what is left to send. Whoever interrupts it interrupts the waiting alone.
func (s *stream) finish(w *opened) {
	close(s.ended)
	if s.run.Serial == 0 {
		return
	}
	impatient := make(chan os.Signal, 1)
	signal.Notify(impatient, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(impatient)
	patience := time.NewTimer(s.wait)
	defer patience.Stop()
	select {
	case <-s.done:
	case <-patience.C:
	case <-impatient:
	}
	s.cancel()
	<-s.done // at once: everything it does ends with its context
	a := s.app
	if s.sent.Complete {
		a.noteSent(w.Project, s.to.URL(), s.sent)
		line := "sent to " + s.to.URL() + " as " + s.sent.Ref
		if s.sent.URL != "" {
			line = "sent as " + s.sent.Ref + ": " + s.sent.URL
		}
		fmt.Fprintln(a.stderr, a.notes.paint(dim, "blq: ")+line)
		return
	}
	fmt.Fprintf(a.stderr, "blq: %s is not sent%s: %v; it is kept here, send it later: %s\n", s.run.Ref(), s.missing(), s.err, s.later())
}

// later is the command that sends what is missing.
func (s *stream) later() string {
	command := fmt.Sprintf("blq push %s --server %s", s.run.Ref(), s.to.URL())
	if s.named != "" {
		command += " --repo " + s.named
	}
	return command
}

// missing says how much has arrived, "" for nothing.
func (s *stream) missing() string {
	if s.sent.Ref == "" {
		return ""
	}
	return fmt.Sprintf(" to its end (%d of %s of its log)", s.sent.Chunks, count(s.sent.Of, "piece"))
}
