package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/ingest/parse/formats"
	"github.com/blq-ci/blq/internal/nearest"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/store"
)

// logFlags are the flags of commands that read a log.
type logFlags struct {
	name     string
	format   string
	matchers []string
	exitCode int
	raw      bool
}

func (f *logFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.format, "format", "", "read the log as this `FORMAT` alone (see blq formats)")
	c.Flags().StringArrayVar(&f.matchers, "problem-matcher", nil,
		"read the log with the GitHub problem matcher in this `FILE` as well, may be repeated")
	c.Flags().IntVar(&f.exitCode, "exit-code", 0, "`CODE` that the command ended with")
}

// known returns the exit code that the user gave, or nil.
func (f *logFlags) known(c *cobra.Command) *int {
	if !c.Flags().Changed("exit-code") {
		return nil
	}
	return &f.exitCode
}

// logFile opens the named file, and returns the file with its name. If the name is "-" or missing, it returns stdin
// and "-".
func (a *app) logFile(args []string) (io.ReadCloser, string, error) {
	if len(args) == 0 || args[0] == "-" {
		return io.NopCloser(a.stdin), "-", nil
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, "", store.Next(fmt.Errorf("read log: %w", err), store.Shell{Line: "ls *.log"})
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, "", fmt.Errorf("read log: %s is a folder", args[0])
	}
	return f, args[0], nil
}

// selectFormats returns the named formats. The error for an unknown name suggests the most similar known name.
func selectFormats(names string) (*parse.List, error) {
	list, err := formats.Select(names)
	if err == nil {
		return list, nil
	}
	var known []string
	for _, f := range formats.All().Formats() {
		known = append(known, f.Name)
	}
	for name := range strings.SplitSeq(names, ",") {
		if like := nearest.Word(strings.TrimSpace(name), known); like != "" && !slices.Contains(known, name) {
			return nil, store.Next(fmt.Errorf("%w; did you mean %s?", err, like), store.NextOf(err))
		}
	}
	return nil, err
}

func (a *app) importLog(ctx context.Context, f logFlags, what string, in io.Reader, exitCode *int) error {
	if !store.IsSourceName(f.name) || f.name == "latest" {
		return usage{store.Next(fmt.Errorf("%q cannot name a source", f.name), store.Shell{
			Line: "blq import --name build build.log", Why: "letters, digits and . _ - / with a letter among them"})}
	}
	if _, err := selectFormats(f.format); err != nil {
		return usage{err}
	}
	matchers, err := readMatchers(f.matchers)
	if err != nil {
		return usage{err}
	}
	spec := record.Spec{Source: f.name, Command: project.Invocation{Text: what}, Format: f.format, Matchers: matchers,
		Raw: f.raw, Folder: a.place()}
	w, err := a.create(ctx)
	if err != nil {
		record.MissLog(ctx, spec, err, exitCode)
		return err
	}
	var end func()
	spec.Waiting, end = a.waiting("reading the log")
	run, err := record.Log(ctx, w.Project, spec, in, exitCode)
	end()
	if run.Serial == 0 {
		return err
	}
	return errors.Join(err, a.report(ctx, record.Recorded{Run: run, Started: true}, a.asJSON(a.form.json)))
}
