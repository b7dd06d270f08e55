package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/project/backend"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// runFlags are the flags of run and exec.
type runFlags struct {
	name     string
	timeout  float64
	format   string
	matchers []string
	split    bool
	pty      bool
	noPTY    bool
	quiet    bool
	raw      bool
	remote   streamFlags
	answer   func(query.Result) error // gets the result; nil to print a report
}

func (f *runFlags) add(c *cobra.Command, a *app) {
	c.Flags().StringVarP(&f.name, "name",
		"n", "", "`SOURCE` of the run (default: the registered name, or the command's: go-test, api/npm-test)")
	secondsFlag(c, &f.timeout, "timeout",
		"stop the command after so many `SECONDS` (default: BLQ_TIMEOUT, or the registered one)")
	c.Flags().StringVar(&f.format, "format", "", "read the output as this `FORMAT` alone (see blq formats)")
	c.Flags().StringArrayVar(&f.matchers, "problem-matcher", nil,
		"read the output with the GitHub problem matcher in this `FILE` as well, may be repeated")
	c.Flags().BoolVar(&f.split, "split", false, "keep stdout and stderr apart")
	c.Flags().BoolVar(
		&f.pty, "pty", false, "give the command a terminal; without this flag, too, it gets one where blq's output is one")
	c.Flags().BoolVar(&f.noPTY, "no-pty", false, "give the command a pipe even where blq's output is a terminal")
	c.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "do not show the command's output")
	jsonFlags(c, a, query.Result{}, "print the result as JSON instead of the output")
	c.Flags().BoolVar(&f.raw, "no-redact", false, noRedactUsage)
	c.MarkFlagsMutuallyExclusive("pty", "no-pty")
	f.remote.add(c)
}

const noRedactUsage = "keep secrets in what is recorded; without it *** stands for them"

func newRun(a *app) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run [flags] -- COMMAND [ARG]...\n  blq run [flags] NAME [PARAM=VALUE]... [-- ARG...]",
		Short: "Run a registered command, or any command after --, and record it",
		Long: `Run passes the command's output, input, signals and exit code through
unchanged, keeps the log, and reports what was found in it on stderr.`,
		Example: `  blq run -- make -j8 lint         # any command; its source is "make-lint"
  blq run --name build -- make     # the same as source "build"
  blq run test                     # a registered command
  blq run test path=tests/unit     # with a value for its template
  blq run test -- -x               # with further arguments`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			dash := c.ArgsLenAtDash()
			switch {
			case dash == 0 && len(args) > 0:
				return a.runPlain(c.Context(), f, args)
			case len(args) == 0:
				return usage{store.Next(errors.New("nothing to run"), store.NewCall("exec", "", "command", "make"))}
			case dash < 0:
				dash = len(args)
			}
			return a.runRegistered(c.Context(), f, args[0], args[1:dash], args[dash:])
		},
	}
	f.add(c, a)
	return c
}

// runPlain runs words as a command line that is not registered.
func (a *app) runPlain(ctx context.Context, f runFlags, words []string) error {
	var config *project.Config
	ahead := record.LookAhead(ctx, "", f.raw)
	w, err := a.create(ctx)
	if a.unopened = err; err == nil {
		config = w.Config
	}
	cwd, err := os.Getwd()
	if err != nil {
		config = nil
	}
	job, err := backend.Plain(config, words, cwd, a.root())
	if err != nil {
		return err
	}
	job.Ahead = ahead
	return a.runJob(ctx, f, job)
}

func (a *app) runRegistered(ctx context.Context, f runFlags, name string, params, extra []string) error {
	ahead := record.LookAhead(ctx, a.root(), f.raw)
	w, unopened := a.create(ctx)
	config, err := a.config(w, unopened)
	if err != nil {
		return err
	}
	cmd, err := backend.Find(config, name)
	if err != nil {
		return err
	}
	values := map[string]string{}
	for _, p := range params {
		key, value, ok := strings.Cut(p, "=")
		if !ok {
			return usage{store.Next(fmt.Errorf("%q is no PARAM=VALUE", p),
				store.NewCall("run", "passes it to the command", "command", name, "extra", []string{p}))}
		}
		values[key] = value
	}
	job, err := backend.Registered(cmd, values, extra, a.root())
	if err != nil {
		return err
	}
	job.Ahead = ahead
	return a.runJob(ctx, f, job)
}

// config returns the configuration. If the store cannot be opened, config returns only a configuration with registered
// commands, because these commands must run even if blq cannot record them. Otherwise it returns the error unopened.
func (a *app) config(w *opened, unopened error) (*project.Config, error) {
	if unopened == nil {
		return w.Config, nil
	}
	cwd, err := os.Getwd()
	if err != nil {
		return nil, unopened
	}
	c, err := backend.ReadConfig(cwd, a.getenv)
	if err != nil || len(c.Commands) == 0 {
		return nil, unopened
	}
	a.unopened = unopened
	return c, nil
}

// runJob runs a command, which may be registered.
func (a *app) runJob(ctx context.Context, f runFlags, job backend.Job) error {
	timeout, err := backend.Timeout(a.getenv, f.timeout, job.Seconds())
	if err != nil {
		return err
	}
	job.Timeout = timeout
	job.PTY = a.wantsPTY(f)
	if f.format == "" {
		f.format = job.Format
	}
	if !job.Captures() {
		rec, err := record.Bare(ctx, job.Spec, nil)
		return a.ended(rec, err)
	}
	return a.record(ctx, f, job.Spec)
}

// record runs a command and reports its result.
func (a *app) record(ctx context.Context, f runFlags, spec record.Spec) error {
	if a.form.json && f.answer == nil {
		f.answer = a.asJSON(true)
	}
	if f.name != "" {
		if !store.IsSourceName(f.name) || f.name == "latest" {
			return usage{store.Next(fmt.Errorf("%q cannot name a source", f.name),
				store.Shell{Line: "blq run --name build -- make", Why: "letters, digits and . _ - / with a letter among them"})}
		}
		spec.Source, spec.Defined = f.name, false
	}
	if err := a.fill(&spec, f); err != nil {
		return err
	}
	w, unopened := a.opened, a.unopened
	if w == nil && unopened == nil {
		w, unopened = a.create(ctx)
	}
	stream, err := a.stream(f.remote)
	if err != nil {
		return err
	}
	var rec record.Recorded
	if unopened != nil {
		spec.Folder = a.place()
		rec, err = record.Bare(ctx, spec, unopened)
	} else {
		if stream != nil {
			spec.Redactor = record.Redactor() // ignore the configuration, which applies only to the local log
			stream.follow(w, &spec)
		}
		var end func()
		spec.Waiting, end = a.waiting("storing the log")
		rec, err = record.Command(ctx, w.Project, spec)
		end()
	}
	if rec.Err != nil {
		fmt.Fprintf(a.stderr, "blq: not recorded: %v%s\n", rec.Err, keptIn(rec.Kept))
	}
	if rec.Result.Unwritten != "" {
		fmt.Fprintf(a.stderr, "blq: %s\n", rec.Result.Unwritten)
	}
	// If the condition is false, blq could not store the run or its end, and another message has said so.
	if rec.Run.Serial > 0 && rec.Run.State != store.StateRunning {
		if err := a.report(ctx, rec, f.answer); err != nil {
			fmt.Fprintf(a.stderr, "blq: %v\n", err)
		}
	}
	if stream != nil && unopened == nil {
		stream.finish(w)
	}
	if rec.Run.Serial > 0 && rec.Run.State != store.StateRunning {
		a.checkAfter(ctx)
	}
	return a.ended(rec, err)
}

// keptIn says where the log of an unrecorded run is. It returns "" if there is no log.
func keptIn(files []string) string {
	if len(files) == 0 {
		return ""
	}
	return "; the next question records it with its log, which is in " + strings.Join(files, " and ")
}

// wantsPTY reports whether the user allows a pseudo-terminal. The command gets one only if the output of blq is a
// terminal. If --pty has no effect, wantsPTY prints why.
func (a *app) wantsPTY(f runFlags) bool {
	switch out, ok := a.stdout.(*os.File); {
	case !f.pty:
	case runtime.GOOS == "windows":
		fmt.Fprintln(a.stderr, "blq: --pty: there are no terminals for commands on Windows; the command gets a pipe")
	case !ok || !term.IsTerminal(int(out.Fd())):
		fmt.Fprintln(a.stderr, "blq: --pty: the output goes to no terminal; the command gets a pipe")
	}
	return !f.noPTY
}

// fill sets the fields of a spec according to the flags.
func (a *app) fill(spec *record.Spec, f runFlags) error {
	spec.Split, spec.Quiet, spec.Format, spec.Raw = f.split, f.quiet || a.form.json, f.format, f.raw
	_, err := selectFormats(f.format)
	if err != nil {
		return err
	}
	if spec.Matchers, err = readMatchers(f.matchers); err != nil {
		return usage{err}
	}
	return nil
}

func readMatchers(files []string) ([]parse.ProblemMatcher, error) {
	var all []parse.ProblemMatcher
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list, err := parse.ReadMatchers(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, list...)
	}
	return all, nil
}

// ended returns the error that makes this process end as the command ended, or nil if the command passed.
func (a *app) ended(rec record.Recorded, err error) error {
	var start *capture.StartError
	if errors.As(err, &start) {
		fmt.Fprintf(a.stderr, "blq: %v\n", start)
		return exit{start.Code}
	}
	if err != nil {
		return err
	}
	if rec.Result.Reason == store.ReasonTimeout {
		return exit{timeoutExit}
	}
	if code := capture.ExitCode(rec.Result); code != 0 {
		a.died = &rec.Result
		return exit{code}
	}
	return nil
}

// timeoutExit is the exit code of the program timeout after a time limit.
const timeoutExit = 124
