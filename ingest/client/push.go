package client

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// Source is where a run is sent from.
type Source interface {
	Run(ctx context.Context, sc store.Scope, ref store.Ref) (store.Run, error)
	Chunks(ctx context.Context, sc store.Scope, attempt, stream string, from, to int) ([]store.Chunk, error)
	Events(ctx context.Context, sc store.Scope, f store.EventFilter) (store.EventPage, error)
}

// Pusher sends runs of a local store to a service: what is stored of the log,
// then the events, then the end. Whatever stops it, and whoever goes on, the
// service has everything once in the end: it says what it has, and each part
// may be sent again.
type Pusher struct {
	Client *Client
	Source Source
	Blobs  chunk.Getter
	// Repo is the repository that runs are sent as, owner/name; "" for their own.
	Repo string
	// Parallel is how many pieces of a log are on their way at once, each with its
	// memory; 0 for 4.
	Parallel int
	// Hide removes secrets that became known after a run was stored, nil for none.
	Hide Hider
	// Progress is told what was sent so far, nil for nobody. Calls do not overlap.
	Progress func(Pushed)
}

// Pushed is what a service has of a run.
type Pushed struct {
	Run      store.Run   // as it is here
	Ref      string      // there, "" until it knows the run
	URL      string      // where people look at it, "" for none
	State    store.State // there, as far as is known
	Chunks   int         // of its log, from the first on
	Batches  int         // of its events
	Of       int         // chunks that there are here
	Bytes    int64       // of objects sent by this Pusher
	Complete bool        // nothing is left to send
}

// BatchSize is how many events a batch has. It belongs to the protocol: batch k
// holds the events k*BatchSize+1 and on, whoever sends it.
const BatchSize = 1000

// mostRepairs is how often what a service misses is sent again.
const mostRepairs = 3

// Push sends what there is of a run. A run that goes on is not complete then.
func (p *Pusher) Push(ctx context.Context, attempt string) (Pushed, error) {
	u := p.upload(attempt)
	err := u.step(ctx)
	return u.Pushed, err
}

// upload is what is known of a run on its way.
type upload struct {
	*Pusher
	Pushed
	attempt string
	begun   bool
	heard   time.Time     // when the service last took something of it
	shown   []store.Event // live, after those of the batches
	mute    bool          // the service does not show what is not settled
	mu      sync.Mutex
	tried   map[int][]byte // objects of chunks that were sent and may not have arrived
}

func (p *Pusher) upload(attempt string) *upload { return &upload{Pusher: p, attempt: attempt} }

// step sends what there is and was not sent. It may be called again, after
// errors too.
func (u *upload) step(ctx context.Context) error {
	// Asked before the log is read: what came last is not missed.
	r, err := u.Source.Run(ctx, store.Everything(), store.Ref{Attempt: u.attempt})
	if err != nil {
		return err
	}
	u.Run = r
	if !u.begun {
		if err := u.begin(ctx); err != nil {
			return err
		}
	}
	if u.State == store.StateCompleted { // also by another who sent it
		u.Complete = true
		return nil
	}
	if err := u.sendAll(ctx); err != nil {
		return err
	}
	if r.State == store.StateRunning {
		return u.show(ctx)
	}
	if r.State == store.StateOrphaned {
		u.Complete = true // there it is orphaned when its heartbeats stay away
		return nil
	}
	return u.finish(ctx)
}

// begin tells the service of the run and learns what it has of it.
func (u *upload) begin(ctx context.Context) error {
	r := u.Run
	if u.Hide != nil && u.Hide.Late() {
		u.Hide.Run(&r)
	}
	started, err := u.Client.Start(ctx, newStart(r, u.Repo))
	if err != nil {
		return err
	}
	u.begun = true
	u.Ref, u.URL, u.State = clean(started.RunRef), clean(started.URL), started.State
	u.Chunks, u.Batches = started.Chunks, started.Batches
	u.tell()
	return nil
}

func (u *upload) tell() {
	if u.Progress != nil {
		u.Progress(u.Pushed)
	}
}

func (u *upload) sendAll(ctx context.Context) error {
	if err := u.sendChunks(ctx); err != nil {
		return err
	}
	return u.sendEvents(ctx)
}

// finish completes the run, and sends again what the service misses.
func (u *upload) finish(ctx context.Context) error {
	for repair := 0; ; repair++ {
		finished, err := u.Client.Finish(ctx, u.attempt, api.Finish{
			FinishedAt: u.Run.FinishedAt, ExitCode: u.Run.ExitCode, Signal: u.Run.Signal, Reason: u.Run.Reason, Lost: u.Run.Lost,
			Chunks: u.Chunks, Batches: u.Batches, Lines: u.Run.Lines,
		})
		if err == nil {
			u.State, u.Complete = store.StateCompleted, true
			u.Ref, u.URL = cmp.Or(clean(finished.RunRef), u.Ref), cmp.Or(clean(finished.URL), u.URL)
			u.tell()
			return nil
		}
		if store.CodeOf(err) != store.Conflict || repair == mostRepairs {
			return err
		}
		if err := u.begin(ctx); err != nil {
			return err
		}
		if err := u.sendAll(ctx); err != nil {
			return err
		}
	}
}

// newStart is a run as the service is told of it.
func newStart(r store.Run, repo string) api.Start {
	return api.Start{
		AttemptID: r.Attempt, Repo: cmp.Or(repo, r.Repo), Source: r.Source, Command: r.Command, Cwd: r.Cwd, StartedAt: r.StartedAt,
		Hostname: r.Hostname, Platform: r.Platform, Arch: r.Arch,
		Commit: r.Git.Commit, Branch: r.Git.Branch, Dirty: r.Git.Dirty, GitRoot: r.Git.Root, CI: r.CI, Format: r.Format,
	}
}
