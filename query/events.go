package query

import (
	"cmp"
	"context"
	"strconv"

	"github.com/blq-ci/blq/internal/nearest"
	"github.com/blq-ci/blq/store"
)

// EventsParams select events.
type EventsParams struct {
	Limit  int    `json:"limit,omitempty"`  // max events, 0 for maxEvents
	Offset int    `json:"offset,omitempty"` // events to skip
	RunID  int    `json:"run_id,omitempty"` // only events of this run, 0 for any run
	Source string `json:"source,omitempty"` // only events of this source
	// error, warning, info, or several with commas; "" for errors and warnings
	Severity    string `json:"severity,omitempty"`
	FilePattern string `json:"file_pattern,omitempty"`   // SQL LIKE pattern over ref_file
	RunIDs      []int  `json:"run_ids,omitempty"`        // batch: only these runs
	LimitPerRun int    `json:"limit_per_run,omitempty"`  // max events of each run in a batch, 0 for maxEvents
	Ref         string `json:"ref,omitempty" kind:"ref"` // a run, in any form; replaces RunID
	Since       string `json:"since,omitempty"`          // only runs that started at this time or later, in RFC 3339
	At                 // selects the runs
}

// EventList is a list of events.
type EventList struct {
	Events []Event `json:"events" jsonschema:"in log order, newer runs first"`
	Total  int     `json:"total_count" jsonschema:"also of those not shown"`
	// URL is set if all listed events belong to one run.
	URL string `json:"url,omitempty" jsonschema:"page of the run" schema:"unlisted"`
	// Note is set if errors were asked for and the list has none, although some runs failed or have not ended. Note
	// names these runs. Failed holds their references, but not those of runs on other branches or of retired steps.
	Note   string   `json:"note,omitempty" jsonschema:"which runs went wrong all the same"`
	Failed []string `json:"-"`
}

// Events lists events of the runs that the question names. If it names no runs, Events reads the newest run of each
// step. So when a step has passed, errors of its older runs are not listed.
func (a *Asker) Events(ctx context.Context, p EventsParams) (EventList, error) {
	a = a.once()
	answer, err := a.listEvents(ctx, p)
	answer.URL = a.pageOfAll(answer.Events)
	return answer, err
}

func (a *Asker) listEvents(ctx context.Context, p EventsParams) (EventList, error) {
	severities, err := readSeverities(cmp.Or(p.Severity, "error,warning"))
	if err != nil {
		return EventList{}, err
	}
	if err := a.sweep(ctx); err != nil {
		return EventList{}, err
	}
	f := store.EventFilter{Severities: severities, FileLike: p.FilePattern, Limit: bounded(p.Limit), Offset: p.Offset}
	f.Runs.Source = p.Source
	if f.Runs.Since, err = since(p.Since); err != nil {
		return EventList{}, err
	}
	if err := a.at(ctx, p.At, &f.Runs); err != nil {
		return EventList{}, err
	}
	answer := EventList{Events: []Event{}}
	if len(p.RunIDs) > 0 {
		f.Offset = 0
		for _, id := range p.RunIDs {
			f.Limit = min(bounded(p.LimitPerRun), max(1, maxEvents-len(answer.Events)))
			if err := a.addEvents(ctx, &answer, f, p.At, strconv.Itoa(id)); err != nil {
				return EventList{}, err
			}
		}
		return answer, nil
	}
	ref := p.Ref
	if ref == "" && p.RunID > 0 {
		ref = strconv.Itoa(p.RunID)
	}
	if ref != "" {
		r, err := a.runAt(ctx, p.At, ref)
		if err != nil {
			return EventList{}, err
		}
		if err := a.addEventsOf(ctx, &answer, f, r); err != nil {
			return EventList{}, err
		}
		answer.noteFailed(f, failedRuns{here: []store.Run{r}})
		return answer, nil
	}
	if p.Source != "" {
		if err := a.knownSource(ctx, p.Source); err != nil {
			return EventList{}, err
		}
	}
	f.Runs.Newest = true
	page, err := a.Store.Events(ctx, a.Scope, f)
	if err != nil {
		return EventList{}, err
	}
	answer.add(page)
	if !answer.saysNone(f) {
		return answer, nil
	}
	wrong, err := a.wentWrong(ctx, p)
	answer.noteFailed(f, wrong)
	return answer, err
}

// maxEvents is the max number of events in a list. The total includes events that are not listed. An offset selects
// later events.
const maxEvents = 10_000

// bounded returns the max length of a list: the parameter limit, but at most maxEvents. If the limit is not positive,
// bounded returns maxEvents.
func bounded(limit int) int {
	if limit <= 0 {
		return maxEvents
	}
	return min(limit, maxEvents)
}

func (e *EventList) add(page store.EventPage) {
	e.Total += page.Total
	for _, ev := range page.Events {
		e.Events = append(e.Events, newEvent(ev))
	}
}

func (a *Asker) addEvents(ctx context.Context, answer *EventList, f store.EventFilter, at At, ref string) error {
	r, err := a.runAt(ctx, at, ref)
	if err != nil {
		return err
	}
	return a.addEventsOf(ctx, answer, f, r)
}

func (a *Asker) addEventsOf(ctx context.Context, answer *EventList, f store.EventFilter, r store.Run) error {
	f.Runs = store.RunFilter{Source: f.Runs.Source, Attempts: []string{r.Attempt}}
	page, err := a.Store.Events(ctx, a.Scope, f)
	answer.add(page)
	return err
}

// knownSource returns an error if the source has no runs.
func (a *Asker) knownSource(ctx context.Context, source string) error {
	runs, err := a.reader().Runs(ctx, a.Scope, store.RunFilter{Source: source, Limit: 1})
	if err == nil && len(runs) == 0 {
		err = a.meant(
			ctx, source, store.Next(store.Errorf(store.NotFound, "no runs of %q", source), store.NewCall("status", "")))
	}
	return err
}

// meant extends the error about a source without runs: it suggests the source with the most similar name.
func (a *Asker) meant(ctx context.Context, source string, err error) error {
	if source == "" || store.CodeOf(err) != store.NotFound {
		return err
	}
	runs, failed := a.reader().Runs(ctx, a.Scope, store.RunFilter{Newest: true, Limit: knownSources})
	if failed != nil {
		return err // the error needs no suggestion
	}
	var names []string
	for _, r := range runs {
		names = append(names, Clean(r.Source))
	}
	if like := nearest.Word(source, names); like != "" {
		return store.Next(store.Errorf(store.NotFound, "%w; did you mean %s?", err, like), store.NextOf(err))
	}
	return err
}

// knownSources is the max number of steps whose names are compared with a misspelt name.
const knownSources = 1000

// readSeverities parses a list such as error,warning; critical means error.
func readSeverities(s string) ([]store.Severity, error) {
	var list []store.Severity
	for _, word := range splitList(s) {
		switch sev := store.Severity(word); sev {
		case store.SeverityError, store.SeverityWarning, store.SeverityInfo:
			list = append(list, sev)
		case "critical":
			list = append(list, store.SeverityError)
		default:
			return nil, store.Next(store.Errorf(store.Invalid, "no severity %q%s", word, nearest.Meant(
				word, []string{"error", "warning", "info"})), store.NewCall("events", "or info", "severity", "error,warning"))
		}
	}
	return list, nil
}
