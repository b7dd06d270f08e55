package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

func newDiff(a *app) *cobra.Command {
	var p query.DiffParams
	c := &cobra.Command{
		Use:   "diff [[RUN1] RUN2]",
		Short: questions.Diff.About,
		Long: `Diff compares two runs, the earlier one first. One run, or without any the
newest that has ended, is compared with its baseline: a run of the same source
and matrix leg,

  on the default branch   the run before it
  on another branch       the run at the commit where that branch began, else
                          the newest before that on the base branch

Without a baseline nothing is called new. Runs that were stopped, that
lost something, or that belong to forks are never baselines.`,
		Example: `  blq diff                           # the newest run with its baseline
  blq diff build:5                   # build:5 with its baseline
  blq diff build:4 build:5           # any two
  blq diff build:5 --baseline main   # or a commit, or a run
  blq diff --branch topic            # the newest run there`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			switch len(args) {
			case 1:
				p.Run2 = args[0]
			case 2:
				p.Run1, p.Run2 = args[0], args[1]
			}
			by, err := a.asked(c.Context())
			if err != nil {
				return err
			}
			return judge(c, a, by, questions.Diff, p, a.diff, worse)
		},
	}
	c.Flags().StringVar(&p.Baseline, "baseline", "", "compare with this `RUN`, branch or commit")
	c.Flags().StringVar(&p.Source, "source", "", "the newest run of this `SOURCE`")
	placeFlags(c, &p.At)
	a.exitCodeFlag(c, "exit with 1 if there are new errors, or any with nothing to compare with, "+
		"or if the run failed without an error that explains it")
	jsonFlags(c, a, query.Diff{}, "print JSON")
	return c
}

// worse reports whether the later run of a diff has new errors, or whether its errors do not explain its result. If
// there is no baseline, all errors are new.
func worse(d query.Diff) bool {
	if d.Unexplained {
		return true
	}
	if d.Baseline != nil && d.Baseline.Kind == store.BaselineNone {
		return d.Summary.Run2 > 0
	}
	return d.Summary.New > 0
}

func (a *app) diff(d query.Diff) error {
	s := a.style
	var errs []error
	say := func(format string, args ...any) {
		_, err := fmt.Fprintf(a.stdout, format+"\n", args...)
		errs = append(errs, err)
	}
	if b := d.Baseline; b != nil && b.Kind == store.BaselineNone {
		say("%s: %s, nothing to compare with: %s", d.Head, count(d.Summary.Run2, "error"), b.Reason)
		if d.Note != "" {
			say("  %s", d.Note)
		}
		if d.Before != nil {
			say("  %s", a.stepText(*d.Before))
		}
		return errors.Join(errs...)
	}
	say("%s → %s: %d new, %d fixed, %d unchanged", d.Base, d.Head, d.Summary.New, d.Summary.Fixed, d.Summary.Unchanged)
	if d.Since != nil && d.Until != nil {
		say("  %s", s.paint(dim, "from "+a.whenAndWhere(*d.Since)+" to "+a.whenAndWhere(*d.Until)))
	}
	if why := baselineWords(d.Baseline); why != "" {
		say("  %s", s.paint(dim, d.Base.String()+" is "+why))
	}
	if d.Note != "" {
		say("  %s", d.Note)
	}
	for _, e := range d.New {
		say("%s %s  %s%s", s.paint(red, "+"), s.paint(cyan, e.Ref), at(e), firstLine(e.Message, reportWidth))
	}
	for _, e := range d.Fixed {
		say("%s %s%s", s.paint(green, "-"), at(e), firstLine(e.Message, reportWidth))
	}
	return errors.Join(errs...)
}

// whenAndWhere returns the time and the commit of a compared run.
func (a *app) whenAndWhere(r query.DiffRun) string {
	when := a.localTime(r.Started)
	if r.Commit != "" {
		when += fmt.Sprintf(" (%.9s)", r.Commit)
	}
	return when
}

// baselineWords returns a text that says how a baseline was chosen. It returns "" if the user named a run or a commit.
func baselineWords(b *query.BaselineNote) string {
	if b == nil {
		return ""
	}
	switch b.Kind {
	case store.BaselinePrevious:
		if b.Branch == "" {
			return "the run before"
		}
		return "the run before on " + b.Branch
	case store.BaselineGiven:
		if b.Branch != "" {
			return "the newest on " + b.Branch
		}
	case store.BaselineMergeBase:
		return fmt.Sprintf("at %.9s, the commit shared with %s", b.Commit, b.Branch)
	case store.BaselineBranch:
		if b.Commit == "" {
			return "the newest before on " + b.Branch
		}
		return fmt.Sprintf("the newest on %s up to %.9s, the commit shared with it", b.Branch, b.Commit)
	}
	return ""
}

func at(e query.DiffEvent) string {
	if e.File == "" {
		return ""
	}
	return place(e.File, e.Line, 0) + "  "
}
