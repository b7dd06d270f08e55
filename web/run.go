package web

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// homePage shows the newest run of each source, and the last runs.
type homePage struct {
	page
	query.Status
	Runs []query.RunFacts
}

const homeRuns = 20

func home(q *request) error {
	if q.site.Repos != nil {
		return repositories(q)
	}
	return q.home("Runs", query.At{})
}

func (q *request) home(title string, at query.At) error {
	status, err := questions.Status.Ask(q.context(), q.by, query.StatusParams{At: at})
	if err != nil {
		return err
	}
	history, err := questions.History.Ask(q.context(), q.by, query.HistoryParams{Limit: homeRuns, At: at})
	if err != nil {
		return err
	}
	slices.SortStableFunc(status.Sources, func(a, b query.SourceStatus) int { return rank(a) - rank(b) })
	return q.show(homePage{q.page(title, ""), status, history.Runs}.view())
}

// rank returns 0 for a red source, and 1 for any other source. Red sources are listed first.
func rank(s query.SourceStatus) int {
	if red(s) {
		return 0
	}
	return 1
}

// runsPage lists runs.
type runsPage struct {
	page
	Filter query.HistoryParams
	Runs   []query.RunFacts
	Before int  // serial at which the next page begins, 0 for none
	Across bool // there are earlier runs, and the runs are of all repositories
}

// results are the possible statuses of runs.
var results = []store.Status{store.StatusOK, store.StatusFail, store.StatusTimeout, store.StatusCancelled,
	store.StatusOrphaned, store.StatusRunning}

const pageRuns = 100

func runs(q *request) error {
	p := query.HistoryParams{Limit: pageRuns, Source: q.r.FormValue("source"),
		Status: store.Status(strings.ToUpper(q.r.FormValue("result")))}
	p.Branch, p.Commit, p.Repo = q.r.FormValue("branch"), q.r.FormValue("commit"), q.r.FormValue("repo")
	var err error
	if p.PR, err = q.number("pr"); err != nil {
		return err
	}
	if p.Before, err = q.number("before"); err != nil {
		return err
	}
	if p.Status != "" && !slices.Contains(results, p.Status) {
		return store.Hint(store.Errorf(store.Invalid, "no run has the result %.40q", p.Status), "results are %s", results)
	}
	history, err := questions.History.Ask(q.context(), q.by, p)
	if err != nil {
		return err
	}
	answer := runsPage{page: q.page("Runs", ""), Filter: p, Runs: history.Runs}
	if n := len(history.Runs); n == pageRuns {
		answer.Before, answer.Across = nextPage(p.Repo, history.Runs[n-1].Repo, history.Runs[n-1].RunID)
	}
	return q.show(answer.view())
}

// nextPage returns the serial at which the next page of a list of runs begins. The parameter asked is
// the repository whose runs are listed, "" for all. repo and serial name the last run of the list.
// Each repository counts its runs from 1, so a list of several repositories has no such serial. In
// this case across is true.
func nextPage(asked, repo string, serial int) (before int, across bool) {
	if asked == "" && repo != "" {
		return 0, true
	}
	return serial, false
}

// runPage shows a run: the most important errors, with the log next to them.
type runPage struct {
	page
	query.Triage
	Info     query.Info
	Where    query.Where   // where the run was executed
	Arrived  *query.Upload // what was read from the log, nil if the source does not know it
	Groups   []errorGroup
	Log      logWindow
	Failed   string // the last failed run of the source before this run, "" for none
	Usual    sparkline
	Unmarked int // number of errors and warnings that are not marked in the log
}

// errorGroup is a group of errors that look alike.
type errorGroup struct {
	query.ErrorGroup
	Kind string // new or known; error if blq does not know whether the errors are new
	At   place  // place of the first error in the log
	Last query.Strip
}

func showRun(q *request) error {
	p, marks, err := aboutRun(q.context(), q.by, q.ref(), "")
	if err != nil {
		return err
	}
	p.page = q.page(p.Info.RunRef+" "+word(p.Info.Status), p.Info.RunRef)
	p.page.Status, p.Live = p.Info.Status, p.Info.IsRunning
	var prints []string
	for _, e := range p.Groups {
		prints = append(prints, e.Sample.Fingerprint)
	}
	strips, err := q.strips(p.Ref, prints)
	if err != nil {
		return err
	}
	for i := range p.Groups {
		p.Groups[i].Last = strips[p.Groups[i].Sample.Fingerprint]
	}
	opened := firstPlace(p.Groups, p.Info)
	p.Log, err = q.window(p.Ref, opened.Stream, opened.Line, marks)
	if store.CodeOf(err) == store.NotFound { // the log of this stream is lost
		p.Log, err = q.window(p.Ref, "", 0, marks)
	}
	if err != nil {
		return err
	}
	p.Log.Missing = 0 // the request names no line
	if !slices.ContainsFunc(p.Groups, func(e errorGroup) bool { return e.At.Line > 0 }) {
		p.Log.unpoint(p.Info.Status != store.StatusOK)
	}
	p.Log.Unmarked = p.Unmarked
	failed, err := questions.History.Ask(q.context(), q.by, query.HistoryParams{Limit: 1, Source: p.Info.Source,
		Before: p.Info.RunID, Status: store.StatusFail, At: query.At{Repo: repoOf(p.Info.RunRef)}})
	if err != nil {
		return err
	}
	for _, r := range failed.Runs {
		p.Failed = refOf(r.Repo, r.Source, r.RunID)
	}
	return q.show(p.view())
}

// aboutRun returns the content of a run's page, but without the log. It also returns the errors and warnings that must
// be marked in the log.
func aboutRun(ctx context.Context, by Source, ref, baseline string) (runPage, []query.Event, error) {
	info, err := questions.Info.Ask(ctx, by, query.InfoParams{Ref: ref})
	if err != nil {
		return runPage{}, nil, err
	}
	triage, err := questions.Triage.Ask(ctx, by, query.TriageParams{Ref: info.RunRef, Baseline: baseline})
	if err != nil {
		return runPage{}, nil, err
	}
	marks, more, err := marksOf(ctx, by, info.RunRef)
	if err != nil {
		return runPage{}, nil, err
	}
	p := runPage{Triage: triage, Info: info, Groups: groups(triage, marks), Unmarked: more}
	if by, ok := by.(receiver); ok {
		arrived, err := by.Upload(ctx, info.RunRef)
		if err != nil {
			return runPage{}, nil, err
		}
		p.Arrived = &arrived
	}
	return p, marks, p.lastRuns(ctx, by)
}

// groups returns the groups of errors, new errors first.
func groups(t query.Triage, marks []query.Event) []errorGroup {
	at := map[string]place{}
	for _, m := range marks {
		at[withoutSource(m.Ref)] = placeOf(m)
	}
	var list []errorGroup
	for _, of := range []struct {
		kind   string
		groups []query.ErrorGroup
	}{{"new", t.New}, {"error", t.Errors}, {"known", t.Known}} {
		for _, g := range of.groups {
			list = append(list, errorGroup{ErrorGroup: g, Kind: of.kind, At: at[withoutSource(g.Sample.Ref)]})
		}
	}
	return list
}

// withoutSource removes the source from the reference to an event. Some answers have references without a source.
func withoutSource(ref string) string {
	r, err := store.ParseRef(ref)
	if err != nil {
		return ref
	}
	return r.Short()
}

// repoOf returns the repository in a reference, or "" if the reference has none.
func repoOf(ref string) string {
	r, _ := store.ParseRef(ref) // an error means that the ref has no repository
	return r.Repo
}

// firstPlace returns the place at which a page opens the log of a run: the first new error, or else the first error. If
// there are no errors and the run is not OK, the place is near the end of the log.
func firstPlace(list []errorGroup, info query.Info) place {
	var at place
	for _, g := range list {
		if g.At.Line == 0 || at.Line > 0 && (g.Kind != list[0].Kind || g.At.Stream != at.Stream) {
			continue
		}
		if at.Line == 0 || g.At.Line < at.Line {
			at = g.At
		}
	}
	if at.Line == 0 && info.Status != store.StatusOK {
		at.Line = max(1, info.Lines-ending)
	}
	return at
}

// lastRuns reads this run and the runs of the source before it. It sets Where to the place where this run was executed.
// It also sets Usual, which shows the durations of the runs that passed or failed.
func (p *runPage) lastRuns(ctx context.Context, by Source) error {
	history, err := questions.History.Ask(ctx, by, query.HistoryParams{Limit: sparkRuns, Source: p.Info.Source,
		Before: p.Info.RunID + 1, At: query.At{Repo: repoOf(p.Info.RunRef)}})
	if err != nil {
		return err
	}
	var bars []bar
	var earlier []float64
	for _, r := range slices.Backward(history.Runs) {
		if r.RunID == p.Info.RunID {
			p.Where = r.Where
		}
		if r.Status == store.StatusOK || r.Status == store.StatusFail {
			bars = append(bars, bar{value: r.Seconds, Class: verdictOf(r.Status),
				Title: fmt.Sprintf("%d: %s, %s", r.RunID, seconds(r.Seconds), word(r.Status))})
			if r.RunID != p.Info.RunID {
				earlier = append(earlier, r.Seconds)
			}
		}
	}
	p.Usual = newSparkline(bars, earlier)
	return nil
}

// errorsPage lists all errors and warnings of a run.
type errorsPage struct {
	page
	Events   []query.Event
	Total    int
	From     int
	Next     int // number of events to skip for the next page, 0 for none
	Severity string
}

const pageEvents = 200

func errorsOf(q *request) error {
	skip, err := q.number("from")
	if err != nil {
		return err
	}
	skip = max(0, skip-1)
	severity := cmp.Or(q.r.FormValue("severity"), string(store.SeverityError))
	list, err := questions.Events.Ask(q.context(), q.by,
		query.EventsParams{Ref: q.ref(), Severity: severity, Limit: pageEvents, Offset: skip})
	if err != nil {
		return err
	}
	p := errorsPage{page: q.page("Errors of "+q.ref(), q.ref()), Events: list.Events, Total: list.Total, From: skip + 1,
		Severity: severity}
	if skip+len(list.Events) < list.Total {
		p.Next = skip + len(list.Events) + 1
	}
	return q.show(p.view())
}

// eventPage shows an event: since when the event exists, its place, and the log around it.
type eventPage struct {
	page
	query.Inspection
	Run  string
	Last query.Strip
	Came *query.Turn
}

func event(q *request) error {
	in, err := questions.Inspect.Ask(q.context(), q.by, query.InspectParams{
		Ref: q.ref(), Lines: 8, Log: true, Source: true, Git: true, Fingerprint: true,
	})
	if err != nil {
		return err
	}
	run := cmp.Or(in.RunRef, q.ref())
	if r, err := store.ParseRef(run); err == nil {
		run = r.Run().String()
	}
	strips, err := q.strips(run, []string{in.Fingerprint})
	if err != nil {
		return err
	}
	p := eventPage{page: q.page(clip(in.Message, listedMessage), run), Inspection: in, Run: run, Last: strips[in.Fingerprint]}
	if n := len(p.Last); n > 0 {
		p.Came, _ = p.Last.Turns(p.Last[n-1].Branch)
	}
	return q.show(p.view())
}

// comparePage shows the differences between two runs.
type comparePage struct {
	page
	query.Diff
	With string
}

func compare(q *request) error {
	with := q.r.FormValue("with")
	diff, err := questions.Diff.Ask(q.context(), q.by,
		query.DiffParams{Run2: q.ref(), Baseline: with, Limit: pageEvents})
	if err != nil {
		return err
	}
	return q.show(comparePage{q.page("Comparison of "+q.ref(), q.ref()), diff, with}.view())
}
