package backend

import (
	"context"
	"time"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/store"
)

// hurry is the time in which a command must end when the server ends. Clients kill a server on stdio two seconds after
// they have asked it to end.
const hurry = 1500 * time.Millisecond

// Run runs a registered command, or with Exec any shell command, and waits for its end. If the waiting time is over
// first, Run returns and the command continues. Apart from the timeout, only Cancel and Close end the command early.
// The end of the context does not.
func (b *Backend) Run(ctx context.Context, r runner.Request, wait time.Duration) (runner.Ran, error) {
	job, err := b.plan(r)
	if err != nil {
		return runner.Ran{}, err
	}
	client := ctx
	ctx = context.WithoutCancel(ctx) // a client that stops waiting must not end the command
	a, err := b.start(ctx, job)
	if err != nil {
		return runner.Ran{}, err
	}
	defer b.done(a)
	patience := time.NewTimer(wait)
	defer patience.Stop()
	run := <-a.begun
	b.await(client, a, run, patience.C)
	select {
	case <-a.ended:
		return a.result(ctx, r.Limit)
	default:
	}
	return a.going(ctx, b, run, r.Limit)
}

// await returns when a command has ended, when the waiting time is over, or when the client has disconnected. Until
// then it reports progress to a client that wants progress reports.
func (b *Backend) await(client context.Context, a *attempt, run store.Run, deadline <-chan time.Time) {
	var look <-chan time.Time
	if runner.WantsProgress(client) {
		every := time.NewTicker(time.Second)
		defer every.Stop()
		look = every.C
		runner.Tell(client, run)
	}
	for {
		select {
		case <-look:
			if run.Attempt != "" { // the command is recorded
				if now, err := (current{b}).Run(client, store.Everything(), store.Ref{Attempt: run.Attempt}); err == nil {
					run = now
				}
			}
			runner.Tell(client, run)
		case <-a.ended:
			return
		case <-deadline:
			return
		case <-client.Done():
			return
		}
	}
}

// Cancel ends a running command that this backend started, and waits for its end. run is the attempt ID of its run.
// Errors: not_found when no such run is running, and the error of the context when the context ends first.
func (b *Backend) Cancel(ctx context.Context, run string) error {
	b.mu.Lock()
	a := b.running[run]
	b.mu.Unlock()
	if a == nil {
		return store.Errorf(store.NotFound, "no run of this server has the attempt %s", run)
	}
	a.cancel()
	select {
	case <-a.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// plan returns the job to run.
func (b *Backend) plan(r runner.Request) (Job, error) {
	config, err := ReadConfig(b.dir, b.getenv)
	if err != nil {
		return Job{}, err
	}
	job, err := b.find(config, r)
	if err != nil {
		return Job{}, err
	}
	fallback := job.Seconds()
	if fallback == 0 {
		fallback = project.DefaultTimeout // otherwise an agent could wait forever
	}
	if job.Dir == "" {
		job.Dir = b.dir
	}
	job.Background, job.Hurry = true, hurry
	job.Timeout, err = Timeout(b.getenv, r.Timeout.Seconds(), fallback)
	return job, err
}

func (b *Backend) find(config *project.Config, r runner.Request) (Job, error) {
	root := Root(b.dir, b.getenv)
	if r.Name == "" {
		return Shell(config, r.Exec, r.Extra, root)
	}
	cmd, err := Find(config, r.Name)
	if err != nil {
		return Job{}, err
	}
	return Registered(cmd, r.Args, r.Extra, root)
}

// start starts a command. The command is recorded, except if recording is off or impossible.
func (b *Backend) start(ctx context.Context, job Job) (*attempt, error) {
	a := &attempt{job: job, begun: make(chan store.Run, 1), ended: make(chan struct{})}
	if job.Captures() {
		a.job.Folder = project.Place(b.dir, b.getenv)
		a.folder, a.why = b.holdToRecord(ctx)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		b.recorded(a)
		return nil, stopping()
	}
	if a.folder != nil {
		a.folder.users++ // done releases the folder
	}
	life, end := context.WithCancel(b.life)
	a.cancel = end
	b.going.Add(1)
	go func() {
		defer b.going.Done()
		defer end()
		// a.ended is closed after the folder is released. A caller that waits for a.ended may reset the folder at once.
		defer close(a.ended)
		var run string
		a.run(life, func(r store.Run) {
			b.mu.Lock()
			defer b.mu.Unlock()
			run = r.Attempt
			b.running[run] = a
		})
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.running, run)
		b.recorded(a)
	}()
	return a, nil
}

// recorded releases the folder that start took for the recording, if any. The caller must hold the lock of the backend.
func (b *Backend) recorded(a *attempt) {
	if a.folder != nil {
		b.recording--
		b.drop(a.folder)
	}
}

// done releases the folder of an attempt after its answer is complete.
func (b *Backend) done(a *attempt) {
	if a.folder != nil {
		b.release(a.folder)
	}
}
