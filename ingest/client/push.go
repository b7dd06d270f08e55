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

// Source is the local store that runs are read from.
type Source interface {
	Run(ctx context.Context, sc store.Scope, ref store.Ref) (store.Run, error)
	Chunks(ctx context.Context, sc store.Scope, attempt, stream string, from, to int) ([]store.Chunk, error)
	Events(ctx context.Context, sc store.Scope, f store.EventFilter) (store.EventPage, error)
	FileDigests(ctx context.Context, sc store.Scope, attempt string) (store.FileDigests, error)
	TestBlocks(ctx context.Context, sc store.Scope, attempts []string, whole bool) ([]store.TestBlock, error)
	Tests(ctx context.Context, sc store.Scope, f store.TestFilter) ([]store.Test, error)
}

// Pusher sends runs of a local store to a service: first the stored part of the log, then the events, the test results
// and the end. If a Pusher is interrupted, another Pusher may continue. The service says which parts it has. The
// service also accepts a part that it already has.
type Pusher struct {
	Client *Client
	Source Source
	Blobs  chunk.Getter
	// Repo is the repository to send runs to, as owner/name. If it is empty, each run's own repository is used.
	Repo string
	// Parallel is the number of chunks that are sent at the same time; 0 means 4. Each of these chunks needs memory.
	Parallel int
	// Hide removes secrets that became known after a run was stored. If Hide is nil, the run is sent unchanged.
	Hide Hider
	// Whole keeps a run open if a quota of the service has no room for a part of the run, so that a later push can send
	// the missing parts. If Whole is false, the run is finished in this case, and records which parts are lost.
	Whole bool
	// Again sends a completed run again, although the service has it, after secrets were removed from the local store.
	// The service then removes them as well. It keeps the names of tests and of the source.
	Again bool
	// Progress is called with the state of the push so far. It may be nil. Calls do not overlap.
	Progress func(Pushed)

	beats time.Duration // interval of heartbeats; 0 means beatEvery
}

// Pushed says how much of a run a service has.
type Pushed struct {
	Run      store.Run   // the run in the local store
	Ref      string      // reference on the service, "" until the service knows the run
	URL      string      // page of the run, "" for none
	State    store.State // last known state on the service
	Chunks   int         // the service has the first Chunks chunks of the log
	Batches  int         // the service has the first Batches batches of events
	Of       int         // number of chunks in the local store
	Bytes    int64       // bytes of objects that this Pusher sent
	Complete bool        // nothing is left to send
	Refused  error       // why the service refuses a part of a complete run; nil if it has all parts
}

// batchSize is the number of events in a batch. It is part of the protocol: batch k begins with event k*batchSize+1 for
// every sender.
const batchSize = 1000

// maxRepairs is the max number of times that a Pusher sends missing parts again. The service reports these parts when
// the run is finished.
const maxRepairs = 3

// Push sends the stored part of a run. A run that is still running stays incomplete on the service.
func (p *Pusher) Push(ctx context.Context, attempt string) (Pushed, error) {
	u := p.upload(attempt)
	err := u.step(ctx)
	return u.Pushed, err
}

// upload is the progress of one run.
type upload struct {
	*Pusher
	Pushed
	attempt  string
	begun    bool
	beaten   time.Time     // when the service last acknowledged a heartbeat, or the start of the run
	has      *api.Started  // number of parts that are sent again, nil unless the push repeats a run
	shown    []store.Event // live events on the service; they are numbered after the events in batches
	mute     bool          // the service does not accept live events
	noLog    error         // why the service accepts no further chunks of the log; nil if it does
	noEvents error         // why the service does not accept the events; nil if it does
	noTests  error         // why the service does not accept the test results; nil if it does
	mu       sync.Mutex
	tried    map[int][]byte // objects of chunks that were sent but not acknowledged
}

func (p *Pusher) upload(attempt string) *upload { return &upload{Pusher: p, attempt: attempt} }

// step sends everything that is new. If the run is complete in the local store, step then finishes the run on the
// service. step may be called again, even after an error.
func (u *upload) step(ctx context.Context) error {
	// The state is read before the log. Otherwise the last lines could be missed.
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
	if u.State == store.StateCompleted { // another Pusher may have completed the run
		return u.repeat(ctx)
	}
	if err := u.sendAll(ctx); err != nil {
		return err
	}
	if r.State == store.StateRunning {
		return noteRefusal(u.show(ctx), &u.noEvents)
	}
	if r.State == store.StateOrphaned {
		u.Complete = true // the service marks the run as orphaned when its heartbeats stop
		return nil
	}
	if err := u.refusal(); err != nil && u.Whole && used(err) {
		return err
	}
	if err := u.finish(ctx); err != nil {
		return err
	}
	return u.repeat(ctx)
}

// repeat completes the push of a run that the service has. If the run must be sent again, repeat sends its facts, its
// events and its log again. It leaves out the parts that the service lacks, because it takes no more of them.
func (u *upload) repeat(ctx context.Context) error {
	u.Complete = true
	if u.Again {
		if err := u.begin(ctx); err != nil {
			return err
		}
		u.has = &api.Started{Chunks: u.Chunks, Batches: u.Batches}
		u.Chunks, u.Batches = 0, 0
		if err := u.sendEvents(ctx); err != nil {
			return err
		}
		if err := u.sendChunks(ctx); err != nil {
			return err
		}
	}
	return nil
}

// begin starts the run on the service and learns which parts the service has.
func (u *upload) begin(ctx context.Context) error {
	r := u.Run
	if u.Hide != nil && u.Hide.Late() {
		u.Hide.Run(&r)
	}
	started, err := u.Client.start(ctx, newStart(r, u.Repo))
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

// sendAll sends everything that is new. It sends the test results only after the end of the run. It leaves out parts
// for which the service has no room.
func (u *upload) sendAll(ctx context.Context) error {
	u.noLog, u.noEvents, u.noTests = nil, nil, nil
	if err := noteRefusal(u.sendChunks(ctx), &u.noLog); err != nil {
		return err
	}
	if err := noteRefusal(u.sendEvents(ctx), &u.noEvents); err != nil || u.Run.State == store.StateRunning {
		return err
	}
	return noteRefusal(u.sendTests(ctx), &u.noTests)
}

// finish completes the run. If the service reports missing parts, finish sends them again, at most maxRepairs times.
func (u *upload) finish(ctx context.Context) error {
	files, err := u.files(ctx)
	if err != nil {
		return err
	}
	for repair := 0; ; repair++ {
		finished, err := u.Client.finish(ctx, u.attempt, u.ending(files))
		if err == nil {
			u.State, u.Complete, u.Refused = store.StateCompleted, true, u.refusal()
			u.Ref, u.URL = cmp.Or(clean(finished.RunRef), u.Ref), cmp.Or(clean(finished.URL), u.URL)
			u.tell()
			return nil
		}
		if store.CodeOf(err) != store.Conflict || repair == maxRepairs {
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

// files returns the digests of files. It returns nil if secrets became known only after the run was stored, because
// a file name could contain a secret.
func (u *upload) files(ctx context.Context) (store.FileDigests, error) {
	if u.Hide != nil && u.Hide.Late() {
		return nil, nil
	}
	return u.Source.FileDigests(ctx, store.Everything(), u.attempt)
}

// ending returns the end of the run in the form that the service wants.
func (u *upload) ending(files store.FileDigests) api.Finish {
	f := api.Finish{
		Files:   files,
		BeganAt: u.Run.StartedAt, FinishedAt: u.Run.FinishedAt, ExitCode: u.Run.ExitCode, Signal: u.Run.Signal,
		Reason: u.Run.Reason, Lost: u.Run.Lost,
		Chunks: u.Chunks, Batches: u.Batches, Lines: u.Run.Lines,
	}
	if u.refusal() != nil {
		f.Lost = u.lost()
	}
	if u.noLog != nil {
		f.Cut, f.Lines = true, 0 // the service counts the lines that it has
	}
	return f
}

// newStart returns the facts of a run in the form that the service wants.
func newStart(r store.Run, repo string) api.Start {
	sent := time.Now().UTC()
	if r.Undated { // the start is not a time of this machine's clock
		sent = time.Time{}
	}
	return api.Start{
		AttemptID: r.Attempt, Repo: cmp.Or(repo, r.Repo), Source: r.Source, Command: r.Command, Cwd: r.Cwd,
		StartedAt: r.StartedAt, SentAt: sent,
		Hostname: r.Hostname, Platform: r.Platform, Arch: r.Arch,
		Commit: r.Git.Commit, Branch: r.Git.Branch, Dirty: r.Git.Dirty, GitRoot: r.Git.Root, CI: r.CI, Format: r.Format,
		Shape: r.Shape,
	}
}
