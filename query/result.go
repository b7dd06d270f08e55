package query

import (
	"context"
	"slices"
	"time"

	"github.com/blq-ci/blq/store"
)

// Result is the result of a run: the command, the ending and the errors.
type Result struct {
	RunRef   string       `json:"run_ref,omitempty" jsonschema:"for other tools"`
	Cmd      string       `json:"cmd" jsonschema:"as it was run"`
	Status   store.Status `json:"status" jsonschema:"as in status"`
	ExitCode *int         `json:"exit_code,omitempty" jsonschema:"of the command"`
	Signal   string       `json:"signal,omitempty" jsonschema:"that ended it"`
	ExitNote string       `json:"exit_note,omitempty" jsonschema:"meaning of code or signal"`
	Summary  Counts       `json:"summary" jsonschema:"error_count, warning_count" schema:"open"`
	Errors   []Event      `json:"errors" jsonschema:"as events has them" schema:"open"`
	Tail     []string     `json:"tail,omitempty" jsonschema:"end of a failed run's log"`
	Seconds  float64      `json:"duration_sec,omitempty" jsonschema:"seconds, when over 5"`
}

// Counts holds the numbers of a run's events by severity.
type Counts struct {
	Errors   int `json:"error_count" jsonschema:"errors"`
	Warnings int `json:"warning_count" jsonschema:"warnings"`
}

// shortTail and fullTail are max numbers of lines in tail. For a run with errors, tail is short, because the errors
// explain the failure. For a run that failed without errors, tail is long.
const (
	shortTail = 2
	fullTail  = 50
	longRun   = 5 * time.Second // shorter durations differ too much between equal runs
)

// Result returns the result of a run, with at most limit errors. If limit is 0, the limit is maxEvents.
func (a *Asker) Result(ctx context.Context, ref string, limit int) (Result, error) {
	r, _, err := a.run(ctx, ref)
	if err != nil {
		return Result{}, err
	}
	return a.ResultOf(ctx, r, limit)
}

// ResultOf returns the same as Result. The caller has just read or written the run r. For a run that passed without
// errors, ResultOf does not read the store.
func (a *Asker) ResultOf(ctx context.Context, r store.Run, limit int) (res Result, err error) {
	events := EventList{Events: []Event{}}
	if r.Errors > 0 || r.Status() != store.StatusOK {
		known := *a
		known.Stale = nil // other runs do not matter
		events, err = known.Events(ctx, EventsParams{Ref: r.Attempt, Severity: string(store.SeverityError), Limit: limit})
	}
	if err != nil {
		return Result{}, err
	}
	res = Result{RunRef: r.Ref().String(), Cmd: Clean(r.Command), Status: r.Status(), ExitCode: r.ExitCode,
		Signal: r.Signal, ExitNote: ExitNote(r), Summary: Counts{r.Errors, r.Warnings}, Errors: events.Events}
	for i := range res.Errors {
		res.Errors[i].RunRef, res.Errors[i].Severity, res.Errors[i].LogLine = "", "", 0
	}
	if r.Duration() > longRun {
		res.Seconds = seconds(r.Duration())
	}
	res.Tail, err = a.tail(ctx, r)
	return res, err
}

func (a *Asker) tail(ctx context.Context, r store.Run) ([]string, error) {
	if r.Status() == store.StatusOK || r.State == store.StateRunning {
		return nil, nil
	}
	n := fullTail
	if r.Errors > 0 {
		n = shortTail
	}
	log, out, err := a.stream(ctx, r, "")
	if err != nil {
		return nil, err
	}
	if slices.Contains(out.Streams, store.StreamStderr) {
		log = a.log(r, store.StreamStderr) // programs print failures to stderr
	}
	lines, err := log.Tail(ctx, n, partBytes)
	texts := make([]string, 0, len(lines))
	for _, l := range lines {
		texts = append(texts, shown(l.Text))
	}
	return texts, err
}
