// Package record runs a command or reads a log. It stores the output, and the events that the parser finds in the
// output.
package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/internal/step"
	"github.com/blq-ci/blq/store"
)

// Spec describes a run to record.
type Spec struct {
	Source   string // "" to name the run after its command, see step.Line.Name
	Command  project.Invocation
	Defined  bool          // the command is exactly the definition of the registered command Source
	Dir      string        // working directory, "" for the current directory
	Hidden   []string      // names of environment variables that the command does not get
	Timeout  time.Duration // 0 for none
	Split    bool          // keep stdout and stderr apart
	PTY      bool          // give the command a terminal if our output is a terminal
	Quiet    bool          // do not pass the output through
	Hurry    time.Duration // like capture.Command.Hurry, 0 for 10 s
	Format   string        // the only format to use, "" for all
	Matchers []parse.ProblemMatcher
	JobRun   string // execution of the CI system's job, "" if unknown
	Step     string // position in the CI system's job, "" if only the environment tells it
	// Script is the whole script if Command.Text is only a part of it. It identifies the step and is not stored.
	Script string
	// Reports returns the report files of the command. It is called after the command has ended and its log is parsed.
	// Only events that are not in the log are added. Reports may be nil.
	Reports func() []Report

	// Redactor removes secrets from stored data. The command's visible output keeps the secrets. Nil means a redactor
	// for the environment's secrets and token shapes, or no redactor if the project's configuration turns redaction
	// off.
	Redactor *redact.Redactor
	// Raw stores the output unchanged, with secrets.
	Raw bool
	// Ahead has the git facts and the redactor for one run, which are prepared while the project is being opened. Ahead
	// may be nil.
	Ahead *Ahead

	// Folder is a .lq folder, "" for none. Bare and MissLog write a note into the folder. The note says that the run
	// could not be recorded.
	Folder string

	// Commit is the commit of findings, "" for the commit of the directory. Branch is a branch that contains that
	// commit.
	Commit, Branch string
	ofCommit       bool // the run does not belong to a job

	// Background is for commands of a server. They have empty input and no terminal. Signals are not forwarded, and
	// the output is not passed through.
	Background bool
	// Waiting reports progress. It is called repeatedly while a log is read, and while the output of an ended command
	// is still being stored. The argument stored is the number of stored bytes, and the argument all is the total, or
	// 0 if unknown. While the end of the run is stored, both are 0. Waiting may be nil.
	Waiting func(stored, all int64)
	// Begun is called with the stored run, or with the zero Run if the run could not be stored. The command starts
	// after Begun returns. Begun may be nil.
	Begun func(store.Run)
	// Recovered is called with each earlier run that is recorded only now. Recovered may be nil.
	Recovered func(store.Run)
	// Unrecorded receives the output of an unrecorded command. Nil drops the output.
	Unrecorded func(text []byte)
}

// Recorded is the result of running and recording a command.
type Recorded struct {
	Run     store.Run      // the stored run; the zero Run if it was not stored
	Result  capture.Result // how the command ended
	Started bool           // false if the command could not be started
	Err     error          // why nothing was recorded, or only a part
	Kept    []string       // files with the log of an unrecorded run, which is recorded later
}

// Command runs a command and records it in the project. Problems with recording never change how the command runs or
// ends. They are in Recorded.Err. Command returns an error only if the command could not be started.
func Command(ctx context.Context, w *project.Project, spec Spec) (Recorded, error) {
	var rec Recorded
	s, missed, err := begin(ctx, w, spec)
	if err != nil {
		rec.Result, err = bare(ctx, spec, err, missed, &rec)
		return rec, err
	}
	defer s.lock.Release()
	spec.tell(s.run)
	stop := s.keepAlive(ctx)
	signals, release := spec.interrupts()
	defer release()
	rec.Result, err = spec.capture(ctx, filepath.Join(w.Dir, "live"), s.sink)
	for len(signals) > 0 {
		<-signals // the signal was meant for the command
	}
	stop()
	rec.Started = err == nil
	if rec.Started {
		s.began = rec.Result.Started // without the time before the command started
	} else {
		s.note(spec, err.Error())
	}
	if rec.Result.Unwritten != "" {
		s.note(spec, rec.Result.Unwritten)
	}
	ending := endingOf(rec.Result, err)
	run, finishErr := s.finishInTime(context.WithoutCancel(ctx), ending, signals, spec.Waiting) // also after a cancel
	rec.Run, rec.Err = run, finishErr
	if finishErr != nil && run.State == store.StateRunning {
		rec.Run.State, rec.Run.Ending = store.StateCompleted, ending // only the store does not know the end
		s.missEnd(ending, finishErr)
	}
	if rec.Err == nil && run.Lost != "" {
		rec.Err = errors.New(run.Lost)
	}
	return rec, err
}

// endingOf returns the end of a command. A command that was not started counts as failed.
func endingOf(res capture.Result, err error) store.Ending {
	if err == nil {
		return res.Ending()
	}
	code := 1
	var failed *capture.StartError
	if errors.As(err, &failed) {
		code = failed.Code
	}
	return store.Ending{FinishedAt: time.Now(), ExitCode: &code}
}

// note appends a line that blq itself prints to the log.
func (s *session) note(spec Spec, text string) {
	stream := capture.Combined
	if spec.Split {
		stream = capture.Stderr
	}
	_ = s.sink(stream, []byte("blq: "+text+"\n")) // never fails
}

// interrupts returns a channel of the signals that ask blq to end. For commands of a server, the channel is nil.
func (s Spec) interrupts() (c <-chan os.Signal, release func()) {
	if s.Background {
		return nil, func() {}
	}
	return capture.Interrupts()
}

// Bare runs a command without recording it. The parameter why becomes Recorded.Err. If it is not nil, a note
// in Spec.Folder says that the run is missing.
func Bare(ctx context.Context, spec Spec, why error) (Recorded, error) {
	var rec Recorded
	var err error
	rec.Result, err = bare(ctx, spec, why, spec.noteMissed(ctx, why), &rec)
	return rec, err
}

func bare(ctx context.Context, spec Spec, why error, missed *missedRun, rec *Recorded) (capture.Result, error) {
	rec.Err = why
	spec.tell(store.Run{})
	res, err := spec.capture(ctx, "", func(stream capture.Stream, text []byte) error {
		if spec.Unrecorded != nil {
			spec.Unrecorded(text)
		}
		missed.keep(stream, text)
		return nil
	})
	rec.Started = err == nil
	rec.Kept = missed.end(endingOf(res, err))
	return res, err
}

func (s Spec) tell(r store.Run) {
	if s.Begun != nil {
		s.Begun(r)
	}
}

// capture runs the command.
func (s Spec) capture(ctx context.Context, spill string, sink capture.Sink) (capture.Result, error) {
	c := capture.Command{
		Args: s.Command.Args, Dir: s.Dir, Hidden: s.Hidden, Timeout: s.Timeout, Hurry: s.Hurry, PTY: s.PTY, Split: s.Split,
		SpillDir: spill, Background: s.Background, Waiting: s.Waiting,
	}
	if s.Quiet && !s.Background {
		if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
			defer null.Close()
			c.Stdout, c.Stderr = null, null
		}
	}
	return capture.Run(ctx, c, sink)
}

// Log records an existing log. exitCode is the exit code of the log's command, nil if unknown. If the returned run has
// a serial, it was stored, even if there is an error. In this case the error says what is missing.
func Log(ctx context.Context, w *project.Project, spec Spec, in io.Reader, exitCode *int) (store.Run, error) {
	s, missed, err := begin(ctx, w, spec)
	if err != nil {
		endMissedLog(missed, exitCode)
		return store.Run{}, err
	}
	defer s.lock.Release()
	stop := s.keepAlive(ctx)
	buf := make([]byte, 256<<10)
	tell := spec.teller(in, tellAfter)
	for {
		n, err := in.Read(buf)
		tell(n)
		if n > 0 {
			_ = s.sink(capture.Combined, buf[:n]) // never fails
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			s.fail(fmt.Errorf("read log: %w", err))
			break
		}
	}
	stop()
	run, err := s.finish(ctx, store.Ending{FinishedAt: time.Now(), ExitCode: exitCode})
	if err == nil && run.Lost != "" {
		err = errors.New(run.Lost)
	}
	return run, err
}

// tellAfter is the wait before Waiting is called.
const tellAfter = 2 * time.Second

// teller returns a function that counts the bytes that were read from the log. After the time patience, the function
// calls Waiting repeatedly.
func (s Spec) teller(in io.Reader, patience time.Duration) func(n int) {
	var all, done int64
	if f, ok := in.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			all = info.Size()
		}
	}
	next := time.Now().Add(patience)
	return func(n int) {
		done += int64(n)
		if now := time.Now(); s.Waiting != nil && now.After(next) {
			s.Waiting(done, all)
			next = now.Add(time.Second / 2)
		}
	}
}

// identify sets the shape of a run. It also sets the name of a run without a name. Shape and name do not contain the
// secrets that r finds. r may be nil. root is the project's directory.
func (s Spec) identify(r *redact.Redactor, root string, run *store.Run) {
	script := run.Command
	if s.Script != "" {
		if script = s.Script; r != nil {
			script = r.Command(script)
		}
	}
	run.Shape = step.Shape(*run, script, cmp.Or(run.Git.Root, root))
	if run.Source != "" {
		return
	}
	dir := "."
	for _, top := range []string{run.Git.Root, root} {
		if rel := step.Within(run.Cwd, top); top != "" && !filepath.IsAbs(rel) {
			dir = rel
		}
	}
	run.Source = step.Parse(script).Name(dir)
}

// patience is the max time for storing the start of a run. After this time, the command runs without being recorded.
const patience = 5 * time.Second

// start stores a run. If another step of the CI job has run the same command, the run gets a different shape.
func start(ctx context.Context, s store.Store, run store.Run) (stored store.Run, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if run.CI != nil && run.CI.Step != "" && run.CI.RunID != "" {
		var others []store.Run
		others, err = s.Runs(ctx, store.Everything(), store.RunFilter{
			Job: store.CIJob{RunID: run.CI.RunID, RunAttempt: run.CI.RunAttempt}})
		run.Shape = step.Again(run, others)
	}
	if err == nil {
		stored, err = s.StartRun(ctx, run)
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = store.Errorf(store.Unavailable, "another process kept the database locked for %s", patience)
	}
	return stored, err
}

// recoverWait is the max time for which a command waits while earlier runs are recorded.
const recoverWait = 300 * time.Millisecond

// quickLog is a max log size in bytes. Missed runs with logs up to this size are recorded when the next command starts.
// The next question records the other missed runs.
const quickLog = 1 << 20

// begin stores the run in the state running. If it fails, it returns the error and a note about the run. The note may
// be nil.
func begin(ctx context.Context, w *project.Project, spec Spec) (*session, *missedRun, error) {
	redactor := make(chan *redact.Redactor, 1)
	go func() { redactor <- spec.redactor(w) }() // git is called at the same time
	run, r, err := spec.describe(ctx, w.Root(), redactor)
	if err != nil {
		return nil, nil, err
	}
	s, err := open(ctx, w, spec, run, r)
	if err != nil {
		return nil, noteMissed(w.Dir, run, r, err), err
	}
	if spec.Defined && run.CI == nil {
		_ = w.NoteDefined(run.Source, run.Shape) // if this fails, failures of an earlier definition still count
	}
	w.Reserve()
	recovering, cancel := context.WithTimeout(ctx, recoverWait)
	defer cancel()
	_ = recordMissed(recovering, w, quickLog, spec.Recovered) // if this fails, later runs and questions try again
	return s, nil, nil
}

// describe returns the run of a spec, and the redactor from the channel. root is the project's directory.
func (s Spec) describe(ctx context.Context, root string, redactor <-chan *redact.Redactor) (
	store.Run, *redact.Redactor, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return store.Run{}, nil, err
	}
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return store.Run{}, nil, err
	}
	now := time.Now()
	hostname, platform, arch := ci.Host()
	run := store.Run{
		Attempt: id.String(), Source: s.Source, Command: s.Command.Text, Cwd: dir, StartedAt: now, HeartbeatAt: now,
		Format:   s.Format,
		Hostname: hostname, Platform: platform, Arch: arch,
		Git: s.gitOf(ctx, dir), CI: ci.CI(os.Getenv, os.ReadFile), State: store.StateRunning,
	}
	ci.Apply(&run)
	if run.CI != nil {
		run.CI.JobRun = s.JobRun
		if s.Step != "" {
			run.CI.Step = s.Step
		} else if run.CI.Step != "" {
			run.CI.Step = ci.Use(os.Getenv)
		}
	}
	s.facts(&run)
	r := <-redactor
	if r != nil {
		r.Learn(s.Command.Text)
		r.Learn(s.Script)
		Hide(r, &run)
	}
	s.identify(r, root, &run)
	return run, r, nil
}
