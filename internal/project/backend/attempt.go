package backend

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// attempt is a started command.
type attempt struct {
	job    Job
	folder *folder            // the folder with the record of the attempt, nil if the command is not recorded
	why    error              // why the command is not recorded, or nil
	output tail               // the end of the output of an unrecorded command
	cancel context.CancelFunc // ends the command
	begun  chan store.Run
	ended  chan struct{}
	rec    record.Recorded
	err    error // set if the command could not be started, or blq failed

	hidden  sync.Once
	secrets *redact.Redactor // result of redactor
}

// run runs the command, and records it if there is a store. It returns when the command has ended. begun is called in
// the same way as record.Spec.Begun.
func (a *attempt) run(ctx context.Context, begun func(store.Run)) {
	spec := a.job.Spec
	spec.Begun = func(r store.Run) { begun(r); a.begun <- r }
	output := a.redactor().Stream(a.output.add)
	defer output.Close()
	spec.Unrecorded = func(text []byte) { _, _ = output.Write(text) } // never fails
	if a.folder == nil {
		a.rec, a.err = record.Bare(ctx, spec, a.why)
		return
	}
	w, err := a.folder.fresh()
	if err != nil {
		a.rec, a.err = record.Bare(ctx, spec, err)
		return
	}
	a.rec, a.err = record.Command(ctx, w, spec)
}

// redactor returns the redactor for answers about an unrecorded command.
func (a *attempt) redactor() *redact.Redactor {
	a.hidden.Do(func() {
		a.secrets = record.Redactor()
		a.secrets.Learn(a.job.Command.Text)
	})
	return a.secrets
}

// command returns the command without secrets and control characters, as answers show it.
func (a *attempt) command() string { return query.Clean(a.redactor().Command(a.job.Command.Text)) }

// going returns the answer while the command is still running.
func (a *attempt) going(ctx context.Context, b *Backend, run store.Run, limit int) (runner.Ran, error) {
	if run.Serial == 0 {
		return runner.Ran{
			Result:  query.Result{Cmd: a.command(), Status: store.StatusRunning, Errors: []query.Event{}},
			Warning: fmt.Sprintf("not recorded, so its end cannot be asked for; it is stopped after %s", a.job.Timeout),
		}, nil
	}
	asker, err := b.Ask(ctx)
	if err != nil {
		return runner.Ran{}, err
	}
	res, err := asker.Result(ctx, run.Attempt, limit)
	return runner.Ran{Result: res}, err
}

// result returns the answer about a completed command.
func (a *attempt) result(ctx context.Context, limit int) (runner.Ran, error) {
	var start *capture.StartError
	if a.err != nil && !errors.As(a.err, &start) {
		return runner.Ran{}, a.err
	}
	if start != nil {
		a.output.add([]byte("blq: " + start.Error() + "\n"))
		a.rec.Result.ExitCode = start.Code
	}
	ran := runner.Ran{Warning: a.warning()}
	if a.rec.Run.Serial > 0 {
		var err error
		if ran.Result, err = Asker(a.folder.Project).ResultOf(ctx, a.rec.Run, limit); err == nil {
			return ran, nil
		}
		ran.Warning = fmt.Sprintf("what was recorded cannot be read: %v", err)
	}
	ran.Result = a.bare()
	return ran, nil
}

// warning returns a text that says that nothing, or not everything, is recorded, and why. It returns "" if everything
// is recorded.
func (a *attempt) warning() string {
	switch {
	case !a.job.Captures():
		return fmt.Sprintf("not recorded: '%s' is registered with capture = false", a.job.Registered.Name)
	case a.rec.Err != nil && a.rec.Run.Serial > 0:
		return fmt.Sprintf("not all of it is recorded: %v", a.rec.Err)
	case a.rec.Err != nil:
		return fmt.Sprintf("not recorded: %v", a.rec.Err)
	}
	return ""
}

// bare returns the result of an unrecorded command.
func (a *attempt) bare() query.Result {
	r := store.Run{State: store.StateCompleted, StartedAt: a.rec.Result.Started, Ending: a.rec.Result.Ending()}
	res := query.Result{Cmd: a.command(), Status: r.Status(), ExitCode: r.ExitCode,
		Signal: r.Signal, ExitNote: query.ExitNote(r), Errors: []query.Event{}}
	if res.Status != store.StatusOK {
		res.Tail = a.output.lines()
	}
	if d := r.Duration(); d > 5*time.Second {
		res.Seconds = d.Round(100 * time.Millisecond).Seconds()
	}
	return res
}
