package markdown

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Facts are the facts about a run and its errors for a report.
type Facts struct {
	Run      store.Run
	Baseline store.Baseline
	// Beside are other failed runs that count (see query.Asker.Beside). It is empty if the user named the run or its
	// source, or if the run did not pass.
	Beside []store.Run
	// New are the errors that are not in the baseline. If there is no baseline, New are all errors. In both cases,
	// errors that are known for another reason are in Known instead.
	New   []Group
	Known []Group // errors that the baseline or the base branch has, and flaky errors
	Fixed int     // number of errors that only the baseline has
	Tail  []string

	NewErrors   int  // number of new errors, with look-alikes
	KnownErrors int  // number of known errors, with look-alikes
	MoreNew     int  // number of new errors outside of New, because New has a max number of groups
	MoreKnown   int  // number of known errors outside of the groups in Known
	FlakyErrors int  // number of errors that are known only because they are flaky
	NewWarnings int  // number of warnings that are not in the baseline, -1 if unknown
	Unexplained bool // the run failed for another reason than the baseline, which has all of its errors

	// Gate is the setting that fails the step although the command of the run passed, "" for none.
	Gate string

	line  Line
	page  func(store.Ref) string // returns the address of the page about a run or an event
	files map[string]int         // number of errors by file, nil if the groups hold all errors
}

// These limit the data that is read for a report.
const (
	maxWarnings  = 5000 // warnings that are read from each of two runs
	maxExcerpts  = 20   // errors that are shown with log lines
	excerptLines = 12
	tailLines    = 20
)

// LinkTo sets the function that returns the address of the page about a run or an event. Reports link to these pages.
// If page is nil, reports have no such links.
func (f *Facts) LinkTo(page func(store.Ref) string) { f.page = page }

// Gather reads the facts of a run. Errors: not_found when the baseline does not exist.
func Gather(ctx context.Context, a *query.Asker, line Line, r store.Run, baseline string) (*Facts, error) {
	return GatherFiles(ctx, a, line, r, baseline, nil)
}

// GatherFiles is like Gather. If a run has very many errors, it reads only errors in files that the function accepts.
func GatherFiles(ctx context.Context, a *query.Asker, line Line, r store.Run, baseline string,
	files func(string) bool) (
	*Facts, error) {
	f, err := gather(ctx, a, line, r, query.Sorting{Baseline: baseline, Files: files})
	if err == nil {
		err = f.warnings(ctx, a)
	}
	if err == nil {
		err = f.excerpts(ctx, a)
	}
	return f, err
}

// gather reads the facts of a run without log excerpts.
func gather(ctx context.Context, a *query.Asker, line Line, r store.Run, p query.Sorting) (*Facts, error) {
	f := &Facts{Run: r, NewWarnings: -1, line: line, page: a.PageOf}
	if err := f.sort(ctx, a, p); err != nil {
		return nil, err
	}
	return f, f.tail(ctx, a)
}

// sort groups look-alike errors, and divides the groups into New and Known.
func (f *Facts) sort(ctx context.Context, a *query.Asker, p query.Sorting) error {
	sorted, err := a.Sort(ctx, f.Run, p)
	if err != nil {
		return err
	}
	f.Baseline, f.New, f.Known = sorted.Baseline, groups(sorted.New, nil), groups(sorted.Known, sorted.Why)
	f.NewErrors, f.KnownErrors, f.Fixed = sorted.NewErrors, sorted.KnownErrors, sorted.Fixed
	f.files, f.Unexplained = sorted.Files, sorted.Unexplained
	f.MoreNew, f.MoreKnown = f.NewErrors-Errors(f.New), f.KnownErrors-Errors(f.Known)
	for _, g := range f.Known {
		if g.Why.Flaky != nil && g.Why.OnBase == "" {
			f.FlakyErrors += g.Count()
		}
	}
	return nil
}

func events(ctx context.Context, a *query.Asker, r store.Run, s store.Severity, limit int) ([]store.RunEvent, error) {
	page, err := a.Store.Events(ctx, a.Scope, store.EventFilter{
		Runs: store.RunFilter{Attempts: []string{r.Attempt}}, Severities: []store.Severity{s}, Limit: limit,
	})
	return page.Events, err
}

// warnings counts the warnings that are not in the baseline.
func (f *Facts) warnings(ctx context.Context, a *query.Asker) error {
	if !f.Baseline.Found() || f.Run.Warnings > maxWarnings || f.Baseline.Run.Warnings > maxWarnings {
		return nil
	}
	if f.Run.Warnings == 0 {
		f.NewWarnings = 0
		return nil
	}
	base, err := events(ctx, a, f.Baseline.Run, store.SeverityWarning, maxWarnings)
	if err != nil {
		return err
	}
	head, err := events(ctx, a, f.Run, store.SeverityWarning, maxWarnings)
	left := map[string]int{}
	for _, e := range base {
		left[e.Fingerprint]++
	}
	f.NewWarnings = 0
	for _, e := range head {
		if left[e.Fingerprint]--; left[e.Fingerprint] < 0 {
			f.NewWarnings++
		}
	}
	return err
}

// excerpts reads the log lines of the errors that are shown with log lines.
func (f *Facts) excerpts(ctx context.Context, a *query.Asker) error {
	for _, list := range [][]Group{f.New[:min(len(f.New), maxExcerpts)], f.Known[:min(len(f.Known), 3)]} {
		for i := range list {
			var err error
			if list[i].Log, err = Excerpt(ctx, a, f.Run, list[i].Sample.Event); err != nil {
				return err
			}
		}
	}
	return nil
}

// Excerpt returns the log lines of an event. If there are many lines, it returns the most informative lines.
func Excerpt(ctx context.Context, a *query.Asker, r store.Run, e store.Event) ([]string, error) {
	if e.LogLine == 0 {
		return nil, nil
	}
	last := max(e.LogLine, e.LogLineEnd)
	if last-e.LogLine < excerptLines {
		return logLines(ctx, a, r, e.Stream, e.LogLine, last)
	}
	lines, err := a.Excerpt(ctx, r, e, excerptLines)
	if store.CodeOf(err) == store.NotFound {
		return nil, nil // the log was removed, so only the message is shown
	}
	return lines, err
}

func logLines(ctx context.Context, a *query.Asker, r store.Run, stream string, from, to int) ([]string, error) {
	out, err := a.Output(ctx, query.OutputParams{Ref: r.Attempt, Stream: stream, From: from, To: to})
	if store.CodeOf(err) == store.NotFound || out.Content == "" {
		return nil, nil // the log was removed, so only the message is shown
	}
	return strings.Split(strings.TrimRight(out.Content, "\n \t"), "\n"), err
}

// tail reads the end of the log if the run still runs, or if it failed and its errors do not explain that.
func (f *Facts) tail(ctx context.Context, a *query.Asker) error {
	if f.Run.Errors > 0 && !f.Unexplained || f.Run.Status() == store.StatusOK {
		return nil
	}
	if f.Run.State == store.StateRunning {
		out, err := a.Output(ctx, query.OutputParams{Ref: f.Run.Attempt, Tail: tailLines})
		if err == nil && out.Content != "" {
			f.Tail = strings.Split(strings.TrimSuffix(out.Content, "\n"), "\n")
		}
		return err
	}
	res, err := a.ResultOf(ctx, f.Run, 1)
	f.Tail = res.Tail[max(0, len(res.Tail)-tailLines):]
	return err
}

// Group is a group of look-alike errors: the same message in several places.
type Group struct {
	Sample store.RunEvent    // the first error
	Others []store.RunEvent  // the other errors in log order; see also store.RunEvent.More
	Log    []string          // log lines, only set in the first groups
	Why    query.Known       // why the errors are known although the baseline does not have them
	Graph  *query.EventGraph // the node in the architecture, nil if unknown
}

// Count returns the number of errors in the group.
func (g Group) Count() int { return 1 + g.Sample.More + store.Sum(g.Others) }

// Errors returns the number of errors in groups.
func Errors(list []Group) int {
	n := 0
	for _, g := range list {
		n += g.Count()
	}
	return n
}

func groups(lists [][]store.RunEvent, why map[string]query.Known) []Group {
	var all []Group
	for _, list := range lists {
		all = append(all, Group{Sample: list[0], Others: list[1:], Why: why[list[0].Fingerprint]})
	}
	return all
}
