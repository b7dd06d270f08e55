package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
)

// inspections is the JSON answer about several events. The answer about a single event is a query.Inspection.
type inspections struct {
	Events []query.Inspection `json:"events"`
}

func newInspect(a *app) *cobra.Command {
	p := query.InspectParams{}
	c := &cobra.Command{
		Use:   "inspect REF...",
		Short: questions.Inspect.About,
		Example: `  blq inspect build:5:3
  blq inspect build:5:1 build:5:2 --git --history
  blq inspect 5:3 --lines 10 --source=false
  blq inspect gcc_compile_0123456789abcdef --history   # the newest event with a fingerprint`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			by, err := a.asked(c.Context())
			if err != nil {
				return err
			}
			list := make([]query.Inspection, len(args))
			for i, ref := range args {
				p.Ref = ref
				if list[i], err = questions.Inspect.Ask(c.Context(), by, p); err != nil {
					return err
				}
			}
			if a.form.json && len(list) == 1 {
				return a.json(list[0])
			}
			if a.form.json {
				return a.json(inspections{Events: list})
			}
			for i, in := range list {
				if i > 0 {
					fmt.Fprintln(a.stdout)
				}
				if err := a.inspection(in); err != nil {
					return err
				}
			}
			return nil
		},
	}
	p.Lines = query.DefaultContext
	countFlag(c, &p.Lines, "lines", "", 0, "lines of context before and after")
	c.Flags().BoolVar(&p.Log, "log", true, "with the log around the event")
	c.Flags().BoolVar(&p.Source, "source", true, "with the source file around the place")
	c.Flags().BoolVar(&p.Git, "git", false, "with who changed the line, and recent commits")
	c.Flags().BoolVar(&p.Fingerprint, "history", false, "with where the like was seen before")
	docsFlag(c, &p.Docs)
	c.Flags().BoolVar(&p.Graph, "graph", false, "with the node that has its file, and changes that may have caused it")
	jsonFlags(c, a, inspections{}, "print JSON")
	return c
}

func (a *app) inspection(in query.Inspection) error {
	a.heading(string(in.Severity), in.Ref, place(in.File, in.Line, in.Column), in.Message)
	a.fields([][2]string{{"tool", in.Tool}, {"code", in.Code}, {"test", in.Test}, {"fingerprint", in.Fingerprint}})
	if in.LogContext != nil && len(in.LogContext.Lines) > 0 {
		a.section("log")
		if err := a.marked(in.LogContext.Lines); err != nil {
			return err
		}
	}
	if in.SourceContext != nil {
		name := in.SourceContext.File
		if in.SourceContext.Changed {
			name += " (changed since the run)"
		}
		a.section(name)
		if err := a.marked(in.SourceContext.Lines); err != nil {
			return err
		}
	}
	if g := in.GitContext; g != nil {
		a.section("git")
		if b := g.Blame; b != nil {
			fmt.Fprintf(a.stdout, "line %d last changed by %s in %s on %s\n", g.Line, b.Author, b.Commit,
				b.Time.UTC().Format("2006-01-02"))
		}
		for _, commit := range g.Recent {
			fmt.Fprintf(a.stdout, "%s  %s  %s\n", commit.Hash, commit.Message, a.style.paint(dim, commit.Author))
		}
	}
	a.mentions(in.Docs)
	a.eventGraph(in.Graph)
	if h := in.History; h != nil {
		a.section("history")
		fmt.Fprintf(a.stdout, "first seen in %s (%s), %s", h.FirstSeen.RunRef, a.localTime(h.FirstSeen.Time),
			count(h.Occurrences, "occurrence"))
		if h.Regression {
			fmt.Fprint(a.stdout, ", "+a.style.paint(red, "a regression: it had been fixed"))
		}
		fmt.Fprintln(a.stdout)
		a.spread(h.Spread)
	}
	return nil
}

// spread prints how many runs have an error, in all and by branch. It also prints between which runs the error appeared
// and disappeared.
func (a *app) spread(s *query.Spread) {
	if s == nil {
		return
	}
	where := make([]string, len(s.Branches))
	for i, b := range s.Branches {
		where[i] = fmt.Sprintf("%s %d", cmp.Or(b.Name, "without a branch"), b.Runs)
	}
	fmt.Fprintf(a.stdout, "in %s, the newest is %s; by branch: %s\n", count(s.Runs, "run"), s.Newest,
		strings.Join(where, ", "))
	for _, t := range []struct {
		word string
		at   *query.TurnedAt
	}{{"came", s.Came}, {"went", s.Went}} {
		if t.at != nil {
			fmt.Fprintf(a.stdout, "it %s with %s%s, after %s%s\n", t.word, t.at.RunRef, atCommit(t.at.Commit), t.at.BeforeRef,
				atCommit(t.at.BeforeCommit))
		}
	}
}

// atCommit returns a text that names a commit, or "" for no commit.
func atCommit(commit string) string {
	if commit == "" {
		return ""
	}
	return fmt.Sprintf(" at %.10s", commit)
}
