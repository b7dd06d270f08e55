package main

import (
	"context"
	"fmt"

	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/internal/step"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// These limits bound a report. A report has at most twelve lines: the status, a note if the step has no name, the first
// errors or the end of the log, the number of further errors, and the command that shows more.
const (
	reportErrors = 8
	reportTail   = 8
	reportWidth  = 160
	maxCompared  = 2000 // a run with more errors is not compared with a baseline
)

// report prints the result of a run to stderr. If answer is set, report prints nothing, and calls answer with the
// result. This result has up to twenty errors.
func (a *app) report(ctx context.Context, rec record.Recorded, answer func(query.Result) error) error {
	r, limit := rec.Run, reportErrors
	if answer != nil {
		limit = 20
	}
	res, err := a.opened.ask.ResultOf(ctx, r, limit)
	if err != nil {
		return err
	}
	if answer != nil {
		return answer(res)
	}
	a.reportText(ctx, rec, res)
	return nil
}

// asJSON returns the function that prints the result for --json. It returns nil if wanted is false.
func (a *app) asJSON(wanted bool) func(query.Result) error {
	if !wanted {
		return nil
	}
	return func(r query.Result) error { return a.json(r) }
}

func (a *app) reportText(ctx context.Context, rec record.Recorded, res query.Result) {
	r := rec.Run
	s := a.notes
	head := fmt.Sprintf("%s %s", res.RunRef, s.status(res.Status))
	if res.ExitCode != nil && *res.ExitCode != 0 {
		head += fmt.Sprintf(" (exit %d)", *res.ExitCode)
	} else if r.Signal != "" {
		head += " (" + r.Signal + ")"
	}
	head += " in " + short(r.Duration())
	if r.Errors+r.Warnings > 0 {
		head += ": " + count(r.Errors, "error") + ", " + count(r.Warnings, "warning") + a.changed(ctx, r)
	}
	if res.ExitCode == nil && res.Status == store.StatusOK {
		head += "; how its command ended is not known"
	}
	fmt.Fprintln(a.stderr, s.paint(dim, "blq: ")+head)
	if step.IsUnnamed(r) {
		fmt.Fprintln(a.stderr, "  it is compared with no other run: give it the name of its step with --name")
	}
	switch {
	case len(res.Errors) > 0:
		for _, e := range res.Errors[:min(len(res.Errors), reportErrors)] {
			fmt.Fprintln(a.stderr, "  "+a.eventLine(s, e))
		}
		if more := r.Errors - reportErrors; more > 0 {
			fmt.Fprintf(a.stderr, "  … %d more: %s\n", more, a.fromHere("blq errors "+res.RunRef))
		}
		fmt.Fprintf(a.stderr, "  %s\n", a.fromHere("blq inspect "+r.Source+":"+res.Errors[0].Ref))
	case res.Status != store.StatusOK:
		if !rec.Started {
			return
		}
		for _, line := range res.Tail[max(0, len(res.Tail)-reportTail):] {
			fmt.Fprintln(a.stderr, "  | "+firstLine(line, reportWidth))
		}
		fmt.Fprintf(a.stderr, "  %s\n", a.fromHere("blq output "+res.RunRef+" --tail 50"))
	case r.Warnings > 0:
		fmt.Fprintf(a.stderr, "  %s\n", a.fromHere("blq warnings "+res.RunRef))
	}
}

// changed returns a text with the number of new errors, and the run that is the baseline. It returns "" if the run has
// no errors or more than maxCompared errors, or if the run cannot be compared with a baseline.
func (a *app) changed(ctx context.Context, r store.Run) string {
	if r.Errors == 0 || r.Errors > maxCompared {
		return ""
	}
	b, c, err := a.opened.ask.Compare(ctx, r, "", 1)
	if err != nil || !b.Found() {
		return ""
	}
	return fmt.Sprintf(" (%d new %s)", c.Counts.New, query.Against(b))
}

// eventLine returns an event as one line: ref, place, message, tool.
func (a *app) eventLine(s style, e query.Event) string {
	line := s.paint(cyan, e.Ref) + "  "
	if e.File != "" {
		line += s.paint(bold, place(e.File, e.Line, e.Column)) + "  "
	}
	line += firstLine(e.Message, reportWidth)
	if e.Tool != "" && !s.plain {
		line += "  " + s.paint(dim, "["+e.Tool+"]")
	}
	return line
}

func place(file string, line, column int) string {
	if line > 0 {
		file += fmt.Sprintf(":%d", line)
		if column > 0 {
			file += fmt.Sprintf(":%d", column)
		}
	}
	return file
}
