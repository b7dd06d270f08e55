package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/ingest/parse/formats"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/store"
)

// logFlags are the flags of commands that read a log.
type logFlags struct {
	name     string
	format   string
	matchers []string
	exitCode int
	json     bool
	raw      bool
}

func (f *logFlags) add(c *cobra.Command) {
	c.Flags().StringVarP(&f.format, "format", "f", "", "read the log as this `FORMAT` alone (see blq formats)")
	c.Flags().StringArrayVar(&f.matchers, "problem-matcher", nil, "read the log with the GitHub problem matcher in this `FILE` as well, may be repeated")
	c.Flags().IntVar(&f.exitCode, "exit-code", 0, "`CODE` that the command ended with")
}

// known returns the exit code that the user gave, nil for none.
func (f *logFlags) known(c *cobra.Command) *int {
	if !c.Flags().Changed("exit-code") {
		return nil
	}
	return &f.exitCode
}

func newParse(a *app) *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:   "parse [FILE]",
		Short: "Print the events of a log as JSON lines; nothing is stored",
		Example: `  blq parse build.log
  gh run view --log 123 | blq parse | jq -r .message`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			in, _, err := a.logFile(args)
			if err != nil {
				return err
			}
			defer in.Close()
			return a.parse(in, f, f.known(c))
		},
	}
	f.add(c)
	return c
}

func (a *app) parse(in io.Reader, f logFlags, exitCode *int) error {
	list, err := formats.Select(f.format)
	if err != nil {
		return err
	}
	matchers, err := readMatchers(f.matchers)
	if err != nil {
		return err
	}
	out := newLineWriter(a.stdout)
	err = parse.Read(in, exitCode, parse.Options{Formats: list, Matchers: matchers}, out.event)
	if err != nil {
		err = fmt.Errorf("read log: %w", err)
	}
	return errors.Join(err, out.close())
}

// logFile opens the file that is named, or stdin for none or "-".
func (a *app) logFile(args []string) (io.ReadCloser, string, error) {
	if len(args) == 0 || args[0] == "-" {
		return io.NopCloser(a.stdin), "-", nil
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, "", store.Hint(fmt.Errorf("read log: %w", err), "ls *.log")
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, "", fmt.Errorf("read log: %s is a folder", args[0])
	}
	return f, args[0], nil
}

func newImport(a *app) *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Record a log that exists already",
		Long: `Import records the log of a command that ran elsewhere, such as a downloaded
CI log. Without --exit-code the run is FAIL when errors are found in it.`,
		Example: `  blq import build.log
  blq import --name ci --exit-code 1 job-logs.txt`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			in, name, err := a.logFile(args)
			if err != nil {
				return err
			}
			defer in.Close()
			if f.name == "" {
				f.name = sourceOfFile(name)
			}
			return a.importLog(c.Context(), f, strings.TrimSpace("import "+shellword.Quote(name)), in, f.known(c))
		},
	}
	f.add(c)
	c.Flags().StringVarP(&f.name, "name", "n", "", "`SOURCE` of the run (default: the file's name)")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	c.Flags().BoolVar(&f.raw, "no-redact", false, noRedactUsage)
	return c
}

// sourceOfFile names the source of a log after its file.
func sourceOfFile(name string) string {
	if name == "-" {
		return "stdin"
	}
	return store.SourceName(strings.TrimSuffix(name, ".log"))
}

func newCapture(a *app) *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:   "capture",
		Short: "Record what comes from a pipe, and pass it on",
		Long: `Capture records its input and passes it on. How the command ended is not known
to it: the run is FAIL when errors are found. blq run knows, and is better.`,
		Example: `  make 2>&1 | blq capture --name build
  set -o pipefail; make 2>&1 | blq capture   # ends with make's exit code`,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.name == "" {
				f.name = "stdin"
			}
			in := io.TeeReader(a.stdin, passOn{a.stdout})
			if f.json {
				in = a.stdin
			}
			err := a.importLog(c.Context(), f, "capture", in, f.known(c))
			var bad usage
			if err != nil && !f.json && !errors.As(err, &bad) {
				fmt.Fprintf(a.stderr, "blq: not recorded: %v\n", err)
				_, err = io.Copy(io.Discard, in) // the writer must not notice
			}
			return err
		},
	}
	f.add(c)
	c.Flags().StringVarP(&f.name, "name", "n", "", "`SOURCE` of the run (default: stdin)")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON instead of the input")
	c.Flags().BoolVar(&f.raw, "no-redact", false, noRedactUsage)
	return c
}

// passOn writes on to a reader that may have gone: recording continues.
type passOn struct{ w io.Writer }

func (p passOn) Write(b []byte) (int, error) {
	_, _ = p.w.Write(b) // nobody reads any more
	return len(b), nil
}

func (a *app) importLog(ctx context.Context, f logFlags, what string, in io.Reader, exitCode *int) error {
	if !store.IsSourceName(f.name) || f.name == "latest" {
		return usage{store.Hint(fmt.Errorf("%q cannot name a source", f.name), "blq import --name build build.log   # letters, digits and . _ - / with a letter among them")}
	}
	if _, err := formats.Select(f.format); err != nil {
		return usage{err}
	}
	matchers, err := readMatchers(f.matchers)
	if err != nil {
		return usage{err}
	}
	w, err := a.create(ctx)
	if err != nil {
		return err
	}
	spec := record.Spec{Source: f.name, Command: project.Invocation{Text: what}, Format: f.format, Matchers: matchers, Raw: f.raw}
	run, err := record.Log(ctx, w.Project, spec, in, exitCode)
	if run.Serial == 0 {
		return err
	}
	return errors.Join(err, a.report(ctx, record.Recorded{Run: run, Started: true}, a.asJSON(f.json)))
}
