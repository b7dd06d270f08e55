package main

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
)

func newInfo(a *app) *cobra.Command {
	var p query.InfoParams
	c := &cobra.Command{
		Use:   "info [RUN]",
		Short: questions.Info.About,
		Example: `  blq info                       # the newest run
  blq info build:5 --context 3   # each error with three lines of log around it
  blq info build:5 --tail 20 --errors`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				p.Ref = args[0]
			}
			if p.Context > 0 {
				return reply(c, a, questions.Brief, p, a.briefing)
			}
			return reply(c, a, questions.Info, p, a.info)
		},
	}
	countFlag(c, &p.Head, "head", "", 1, "with so many of the first lines of output")
	countFlag(c, &p.Tail, "tail", "", 1, "with so many of the last lines of output")
	c.Flags().BoolVar(&p.Errors, "errors", false, "with errors")
	c.Flags().BoolVar(&p.Warnings, "warnings", false, "with warnings")
	c.Flags().StringVarP(&p.Severity, "severity", "s", "", "with events of this `LIST` of severities")
	limitFlag(c, &p.Limit, 20, "events")
	secondsFlag(c, &p.Wait, "wait", "wait so many `SECONDS` for the end of a running run")
	countFlag(c, &p.Context, "context", "", 1, "compact account with this many lines of log around each event")
	jsonFlagsOf(c.Flags(), a, "print JSON", reflect.TypeFor[query.Info](), reflect.TypeFor[query.Briefing]())
	return c
}

func (a *app) info(in query.Info) error {
	s := a.style
	fmt.Fprintf(a.stdout, "%s %s  %s\n", s.paint(cyan, in.RunRef), s.status(in.Status), in.Command)
	exitCode := ""
	if in.ExitCode != nil {
		exitCode = strconv.Itoa(*in.ExitCode)
	}
	took := ""
	if in.Seconds > 0 {
		took = short(time.Duration(in.Seconds * float64(time.Second)))
	}
	uncommitted := strings.Join(in.Changed, " ")
	if in.Dirty && uncommitted == "" {
		uncommitted = "yes"
	}
	a.fields([][2]string{
		{"exit code", exitCode}, {"signal", in.Signal}, {"note", in.ExitNote}, {"started", a.localTime(in.Started)},
		{"took", took}, {"running for", seconds(in.Elapsed)}, {"silent for", seconds(in.Idle)},
		{"errors", strconv.Itoa(in.Errors)}, {"warnings", strconv.Itoa(in.Warnings)},
		{"output lines", strconv.Itoa(in.Lines)}, {"commit", in.Commit}, {"branch", in.Branch}, {"uncommitted", uncommitted},
		{"cwd", in.Cwd}, {"attempt", in.Attempt}, {"lost", in.Lost},
	})
	for _, e := range in.Events {
		fmt.Fprintln(a.stdout, s.severity(e.Severity)+"  "+a.eventLine(s, e))
	}
	if in.Output != "" {
		a.section("output")
		_, err := io.WriteString(a.stdout, in.Output)
		return err
	}
	return nil
}

// seconds returns a number of seconds as text. For nil, it returns "".
func seconds(n *int) string {
	if n == nil {
		return ""
	}
	return short(time.Duration(*n) * time.Second)
}

func (a *app) briefing(b query.Briefing) error {
	s := a.style
	fmt.Fprintf(a.stdout, "%s %s: %s\n", s.paint(cyan, b.RunRef), s.status(b.Status), count(b.Errors, "error"))
	for _, e := range b.Events {
		fmt.Fprintf(a.stdout, "\n%s  %s  %s\n%s\n", s.paint(cyan, e.Ref), s.paint(bold, e.Location),
			firstLine(e.Message, reportWidth), e.Context)
	}
	if b.Output != "" {
		a.section("output")
		if _, err := io.WriteString(a.stdout, b.Output); err != nil {
			return err
		}
	}
	if b.Summary == nil || s.plain {
		return nil
	}
	a.section("by file")
	for _, f := range b.Summary.ByFile {
		fmt.Fprintf(a.stdout, "%4d  %s\n", f.Count, f.File)
	}
	for i, commit := range b.Summary.Commits {
		if i == 0 {
			a.section("recent commits to these files")
		}
		fmt.Fprintf(a.stdout, "%s  %s  (%s)\n", commit.Hash, commit.Message, strings.Join(commit.Files, ", "))
	}
	return nil
}
