package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

func newTriage(a *app) *cobra.Command {
	var p query.TriageParams
	c := &cobra.Command{
		Use:   "triage [RUN]",
		Short: questions.Triage.About,
		Long: `Triage looks into a run, or without one into the newest failed run among the
newest of each source. Errors that look alike are shown as one, causes first.
New are those that the baseline does not have and that are not flaky.`,
		Example: `  blq triage               # of the run that matters
  blq triage build:5       # of one run
  blq triage --baseline main --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				p.Ref = args[0]
			}
			by, err := a.asked(c.Context())
			if err != nil {
				return err
			}
			if a.opened != nil {
				p.Commands = slices.Sorted(maps.Keys(a.opened.Config.Commands))
			}
			return judge(c, a, by, questions.Triage, p, a.triage, unsettled)
		},
	}
	c.Flags().StringVar(&p.Source, "source", "", "of this `SOURCE` only")
	c.Flags().StringVar(&p.Baseline, "baseline", "", "compare with this `RUN`, branch or commit")
	placeFlags(c, &p.At)
	sinceFlag(c, &p.Since)
	docsFlag(c, &p.Docs)
	c.Flags().BoolVar(&p.Graph, "graph", true, "with the nodes of new errors, and changes that may have caused them")
	a.exitCodeFlag(c, "exit with 1 unless every run that triage looks at has passed")
	jsonFlags(c, a, query.Triage{}, "print JSON")
	return c
}

// unsettled reports whether a run of the triage has failed or is still running.
func unsettled(t query.Triage) bool { return t.Status != store.StatusOK || len(t.Others) > 0 }

// triage prints the answer of triage as text.
func (a *app) triage(t query.Triage) error {
	s := a.style
	fmt.Fprintf(a.stdout, "%s %s\n", s.status(t.Status), t.Verdict)
	var exit string
	if t.ExitCode != nil {
		exit = fmt.Sprint(*t.ExitCode)
	}
	a.fields([][2]string{{"command", firstLine(t.Cmd, reportWidth)}, {"exit code", exit}, {"signal", t.Signal},
		{"uncommitted", strings.Join(t.Changed, " ")},
		{"nothing is called new", t.Baseline.Reason}})
	a.groups("new", t.New)
	a.groups("errors", t.Errors)
	a.groups("known", t.Known)
	if t.Tail != "" {
		a.section("end of the log")
		fmt.Fprintln(a.stdout, t.Tail)
	}
	a.mentions(t.Docs)
	a.nodes(t.Nodes)
	a.suspects(t.Suspects)
	a.unasked(t.Unasked)
	for _, o := range t.Others {
		if o.LeftOut != "" {
			fmt.Fprintln(a.stdout, a.retired(o))
			continue
		}
		if o.Branch != "" {
			fmt.Fprintf(a.stdout, "%s %s on %s\n", o.RunRef, s.status(o.Status), o.Branch)
			continue
		}
		fmt.Fprintf(a.stdout, "%s %s too\n", o.RunRef, s.status(o.Status))
	}
	for _, cut := range t.Truncated {
		all := cut.Next
		if all.Tool != "status" {
			all = store.NewCall("errors", "", "ref", t.RunRef, "limit", 0)
		}
		fmt.Fprintf(a.stderr, "not shown: %s; all: %s\n", cut.What, a.stepText(all))
	}
	if len(t.NextSteps) > 0 {
		a.section("next")
		for _, step := range t.NextSteps {
			fmt.Fprintln(a.stdout, a.stepText(a.forPeople(step, t.Cmd)))
		}
	}
	return nil
}

func (a *app) groups(title string, list []query.ErrorGroup) {
	s := a.style
	if len(list) == 0 {
		return
	}
	a.section(title)
	for i, g := range list {
		if i > 0 && g.Sample.Log != "" && !s.plain {
			fmt.Fprintln(a.stdout)
		}
		line := s.paint(cyan, g.Sample.Ref)
		if g.Sample.Location != "" {
			line += "  " + s.paint(bold, g.Sample.Location)
		}
		message := g.Sample.Message
		if g.Sample.Test != "" && !strings.Contains(message, g.Sample.Test) {
			file, _, _ := strings.Cut(g.Sample.Location, ":")
			message = strings.TrimPrefix(g.Sample.Test, file+"::") + ": " + message
		}
		line += "  " + firstLine(message, reportWidth)
		if g.Count > 1 {
			line += s.paint(yellow, fmt.Sprintf("  ×%d", g.Count))
		}
		fmt.Fprintln(a.stdout, line+s.paint(dim, remarks(g)))
		if g.Sample.Log != "" {
			fmt.Fprintln(a.stdout, g.Sample.Log)
		}
		for _, other := range g.Also {
			ref, rest, _ := strings.Cut(other, " ")
			fmt.Fprintln(a.stdout, s.paint(cyan, ref)+"  "+rest)
		}
		if more := g.Count - len(g.Also) - 1; more > 0 {
			fmt.Fprintf(a.stdout, "and %d more like these\n", more)
		}
	}
}

// remarks returns a text about the history of a group of errors.
func remarks(g query.ErrorGroup) string {
	var list []string
	if g.Flaky != nil {
		list = append(list, fmt.Sprintf("flaky: failed in %d of %s", g.Flaky.Failed, count(g.Flaky.Runs, "run")))
	}
	if g.OnBase != "" {
		list = append(list, "in "+g.OnBase+" too")
	}
	if g.Returned {
		list = append(list, "it had been fixed")
	}
	if g.FirstSeen != nil {
		list = append(list, "first seen in "+g.FirstSeen.RunRef)
	}
	if len(list) == 0 {
		return ""
	}
	return "  (" + strings.Join(list, "; ") + ")"
}

// forPeople returns a next step that a person can run. cmd is the command line of the failed run. If the step names a
// registered command that no longer expands to cmd, the result runs cmd itself: with blq exec if cmd needs a shell,
// and otherwise with blq run.
func (a *app) forPeople(step store.Call, cmd string) store.NextStep {
	text, _ := step.Arguments.Get("command").(string)
	name, _ := step.Arguments.Get("name").(string)
	dir, _ := step.Arguments.Get("directory").(string)
	switch {
	case step.Tool == "run" && text != "" && !a.expandsTo(text, cmd):
		text, name = cmd, text
	case step.Tool != "exec" || text == "":
		return step
	}
	line := "blq"
	if dir = a.written(dir); dir != "." {
		line += " -C " + shellword.Quote(dir)
	}
	words, simple := shellword.Split(text)
	verb, rest := "exec", shellword.Quote(text)
	if simple && len(words) > 0 && !strings.Contains(words[0], "=") {
		verb, rest = "run", "-- "+text
	}
	line += " " + verb
	if name != "" {
		line += " --name " + shellword.Quote(name)
	}
	return store.Shell{Line: line + " " + rest, Why: step.Why}
}

// expandsTo reports whether the registered command with the given name expands to the command line cmd without
// parameters. It returns true if the registered command is not known.
func (a *app) expandsTo(name, cmd string) bool {
	if a.opened == nil {
		return true
	}
	c, err := a.opened.Config.Command(name)
	if err != nil {
		return true
	}
	line, err := c.Invocation(nil, nil)
	return err == nil && line.Text == cmd
}

// written returns the path of a project's directory, relative to the directory in which blq was started. For the
// current directory it returns ".", even if the option -C selected that directory.
func (a *app) written(dir string) string {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(a.root(), dir)
	}
	here, err := os.Getwd()
	if err != nil {
		return filepath.ToSlash(dir)
	}
	if real, err := filepath.EvalSymlinks(here); err == nil {
		here = real
	}
	if rel, err := filepath.Rel(here, dir); err == nil {
		dir = rel
		if dir != "." && a.all.dir != "" {
			dir = filepath.Join(string(a.all.dir), dir)
		}
	}
	return filepath.ToSlash(dir)
}

// retired returns a line about a run that does not count.
func (a *app) retired(o query.OtherRun) string {
	return fmt.Sprintf("%s %s does not count: %s", o.RunRef, a.style.status(o.Status), o.LeftOut)
}
