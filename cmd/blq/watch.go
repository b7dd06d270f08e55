//go:build !job

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// watchParams select the runs to watch.
type watchParams struct {
	ref      string // a run or a source; "" means every running run
	at       query.At
	next     bool
	interval float64
}

// watched is the answer of the command watch.
type watched struct {
	Runs []query.Info `json:"runs"` // ordered by when watch first saw them
}

func newWatch(a *app) *cobra.Command {
	var p watchParams
	c := &cobra.Command{
		Use:   "watch [RUN]",
		Short: "Show runs that are going on, and their errors, until they have ended",
		Long: `Watch shows each run that is going on, its errors as they are found, and how it
ended. Runs that begin meanwhile are shown, too. Watch ends when nothing is going
on any more. If nothing was to begin with, it shows the newest run, or waits with
--next.`,
		Example: `  blq watch                      # what is going on
  blq watch build                # the newest run of a source
  blq watch --next --exit-code   # wait for a run to begin; exit with 1 if it does not pass
  blq watch --remote --pr 7`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				p.ref = args[0]
			}
			by, err := a.asked(c.Context())
			if err != nil {
				return err
			}
			return a.watch(c.Context(), by, p)
		},
	}
	placeFlags(c, &p.at)
	c.Flags().BoolVar(&p.next, "next", false, "if nothing is going on, wait for a run to begin")
	p.interval = 1
	secondsFlag(c, &p.interval, "interval", "`SECONDS` between two looks")
	a.exitCodeFlag(c, "exit with 1 unless all of the runs have passed")
	jsonFlags(c, a, watched{}, "print the runs as JSON when they have ended")
	return c
}

func (a *app) watch(ctx context.Context, by asked, p watchParams) error {
	if p.interval < 0.05 {
		p.interval = 0.05
	}
	w := &watcher{watchParams: p, by: by, screen: newWatchScreen(a), runs: map[string]*watchedRun{}}
	tick := time.NewTicker(time.Duration(p.interval * float64(time.Second)))
	defer tick.Stop()
	for {
		ended, err := w.look(ctx)
		if err != nil {
			w.screen.draw(nil)
			return err
		}
		if ended {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	passed := true
	answer := watched{Runs: []query.Info{}}
	for _, run := range w.order {
		passed = passed && run.info.Status == store.StatusOK
		answer.Runs = append(answer.Runs, run.info)
	}
	if a.form.json {
		if err := a.json(answer); err != nil {
			return err
		}
	}
	return a.verdict(!passed)
}

// watchedRun is a run on the screen.
type watchedRun struct {
	info   query.Info
	begun  time.Time
	errors int             // number of errors found so far
	shown  map[string]bool // errors that are already on the screen, by their text
	ended  bool
}

// watcher asks for the state of runs at intervals, and displays the changes.
type watcher struct {
	watchParams
	by     asked
	screen *watchScreen
	runs   map[string]*watchedRun // watched runs, by attempt
	order  []*watchedRun
	before map[string]bool // runs that find has already seen; nil until find is called for the first time
}

// look asks for the state of the runs once, and reports whether all runs have ended.
func (w *watcher) look(ctx context.Context) (ended bool, err error) {
	if err := w.find(ctx); err != nil {
		return false, err
	}
	ended = len(w.order) > 0 || !w.next
	for _, run := range w.order {
		if err := w.update(ctx, run); err != nil {
			return false, err
		}
		ended = ended && run.ended
	}
	w.screen.draw(w.order)
	return ended, nil
}

// find adds the runs that have begun.
func (w *watcher) find(ctx context.Context) error {
	ref, err := store.ParseRef(w.ref)
	single := w.ref != "" && (err != nil || ref.Serial > 0 || ref.Back > 0 || ref.Attempt != "")
	if single {
		if len(w.order) == 0 {
			err = w.add(ctx, w.ref)
		}
		return err
	}
	h, err := questions.History.Ask(ctx, w.by, query.HistoryParams{Source: ref.Source, At: w.at, Limit: watchDepth})
	if err != nil && (!w.next || store.CodeOf(err) != store.NotFound) {
		return err // with --next, a source without runs is not an error
	}
	first := w.before == nil
	if first {
		w.before = map[string]bool{}
	}
	for i := len(h.Runs) - 1; i >= 0; i-- {
		r := h.Runs[i]
		name := store.Ref{Repo: r.Repo, Source: r.Source, Serial: r.RunID}.String()
		if first && r.Status != store.StatusRunning {
			w.before[name] = true
		}
		if w.before[name] {
			continue
		}
		w.before[name] = true
		if err := w.add(ctx, name); err != nil {
			return err
		}
	}
	if first && len(w.order) == 0 && !w.next {
		return w.add(ctx, w.ref)
	}
	if len(w.order) == 0 {
		w.screen.wait()
	}
	return nil
}

// watchDepth is the number of newest runs among which watch looks for running runs.
const watchDepth = 50

func (w *watcher) add(ctx context.Context, ref string) error {
	in, err := questions.Info.Ask(ctx, w.by, query.InfoParams{Ref: ref})
	if err != nil || w.runs[in.Attempt] != nil {
		return err
	}
	begun, err := time.Parse(time.RFC3339, in.Started)
	if err != nil {
		begun = time.Now()
	}
	run := &watchedRun{info: in, begun: begun, shown: map[string]bool{}}
	w.runs[in.Attempt], w.order = run, append(w.order, run)
	if in.IsRunning {
		w.screen.begins(run)
	}
	return nil
}

// update reads a run and prints its new errors and its end.
func (w *watcher) update(ctx context.Context, run *watchedRun) error {
	if run.ended {
		return nil
	}
	in, err := questions.Info.Ask(ctx, w.by, query.InfoParams{Ref: run.info.Attempt})
	if err != nil {
		return err
	}
	list, err := questions.Events.Ask(ctx, w.by,
		query.EventsParams{Ref: in.Attempt, Severity: string(store.SeverityError), Limit: reportErrors})
	if err != nil {
		return err
	}
	run.info, run.errors, run.ended = in, list.Total, !in.IsRunning
	for _, e := range list.Events {
		says := fmt.Sprintf("%s:%d %s", e.File, e.Line, e.Message)
		if !run.shown[says] && len(run.shown) < reportErrors {
			run.shown[says] = true
			w.screen.found(e)
		}
	}
	if run.ended {
		w.screen.ends(run)
	}
	return nil
}

// watchScreen displays runs. It prints lines about the beginning, the errors and the end of each run. On a terminal, it
// also draws a line for each running run below them, and redraws these lines.
type watchScreen struct {
	a       *app
	anew    bool // the output is a terminal, so lines are redrawn
	drawn   int
	waiting bool
}

func newWatchScreen(a *app) *watchScreen {
	out, ok := a.stdout.(*os.File)
	return &watchScreen{a: a, anew: ok && term.IsTerminal(int(out.Fd())) && !a.style.plain && !a.form.json}
}

// clear removes the lines that are redrawn.
func (s *watchScreen) clear() {
	if s.drawn > 0 {
		fmt.Fprintf(s.a.stdout, "\x1b[%dA\x1b[J", s.drawn)
		s.drawn = 0
	}
}

// line prints a line that is not redrawn.
func (s *watchScreen) line(text string) {
	if s.a.form.json {
		return
	}
	s.clear()
	fmt.Fprintln(s.a.stdout, text)
}

// wait prints once that no run is running yet.
func (s *watchScreen) wait() {
	if !s.waiting && !s.a.form.json {
		fmt.Fprintln(s.a.stderr, "waiting for a run to begin")
	}
	s.waiting = true
}

func (s *watchScreen) begins(run *watchedRun) {
	st := s.a.style
	s.line(fmt.Sprintf("%s %s  %s", st.paint(cyan, run.info.RunRef), st.status(run.info.Status),
		firstLine(run.info.Command, reportWidth)))
}

func (s *watchScreen) found(e query.Event) { s.line("  " + s.a.eventLine(s.a.style, e)) }

// ends prints how a run ended, and the command that shows more.
func (s *watchScreen) ends(run *watchedRun) {
	in, st := run.info, s.a.style
	if more := run.errors - len(run.shown); more > 0 {
		s.line(fmt.Sprintf("  … %d more: %s", more, s.a.stepText(store.NewCall("errors", "", "ref", in.RunRef))))
	}
	head := st.paint(cyan, in.RunRef) + " " + st.status(in.Status)
	switch {
	case in.Signal != "":
		head += " (" + in.Signal + ")"
	case in.ExitCode != nil && *in.ExitCode != 0:
		head += fmt.Sprintf(" (exit %d)", *in.ExitCode)
	}
	if in.Seconds > 0 {
		head += " in " + short(time.Duration(in.Seconds*float64(time.Second)))
	}
	s.line(fmt.Sprintf("%s: %s, %s", head, count(in.Errors, "error"), count(in.Warnings, "warning")))
	if in.Status != store.StatusOK {
		s.line("  " + s.a.stepText(store.NewCall("triage", "", "ref", in.RunRef)))
	}
}

// draw prints a line for each running run.
func (s *watchScreen) draw(runs []*watchedRun) {
	if !s.anew {
		return
	}
	s.clear()
	for _, run := range runs {
		if run.ended {
			continue
		}
		took := max(0, time.Since(run.begun).Round(time.Second))
		fmt.Fprintf(s.a.stdout, "%s %s for %s: %s\n", s.a.style.paint(cyan, run.info.RunRef),
			s.a.style.status(run.info.Status), took, count(run.errors, "error"))
		s.drawn++
	}
}
