package markdown

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// pullView holds the data of a report on the runs of a commit.
type pullView struct {
	line      Line
	params    PullParams
	runs      []*Facts
	found     []*failure // failures of each run, before merging
	failures  []*failure // failures of all runs, merged
	reported  []*failure // errors of passed runs
	flaky     []retried
	allowed   map[*Facts]bool // failed runs of jobs that succeeded
	silent    []Job           // failed jobs without a failed run that explains the failure
	cancelled []Job           // cancelled jobs without a failed run that explains the cancellation
	open      []Job           // other unfinished jobs
	counts    PullCounts
	unlisted  [4]int // number of errors outside of the failures, by standing
	changed   []query.ContractImpact
	blamed    []blame
	cut       bool // the commit has more runs than were read
	seen      int
}

// standing says whether a failure is new, or why it is known.
type standing int

// A failure has one of these standings. The report lists failures in this order.
const (
	standsNew standing = iota
	standsUnknown
	standsFlaky
	standsBase
)

// failure is a failure in one or more runs. It is a group of look-alike errors, or a failed run without an error that
// explains the failure.
type failure struct {
	Group
	in       []*Facts // runs with the failure
	standing standing
	wordless bool           // no recognised error explains why the run failed, so there is no group
	prints   map[string]int // number of errors by fingerprint, nil before file is called
	docs     query.Mention  // documentation about the failure, if there is any
}

// add adds the failures of a run. If the run passed or is allowed to fail, its errors are not failures.
func (v *pullView) add(f *Facts) {
	v.counts.Fixed += v.fixed(f)
	status := f.Run.Status()
	switch {
	case status == store.StatusRunning:
		v.counts.Running++
	case v.allowed[f]:
		v.counts.Allowed++
		return
	case status == store.StatusOK:
		v.report(f)
		return
	default:
		v.counts.Steps++
		if !f.Run.Ended() {
			v.counts.Stopped++
		}
	}
	for _, g := range f.New {
		v.found = append(v.found, &failure{Group: g, in: []*Facts{f}, standing: f.standing()})
	}
	for _, g := range f.Known {
		v.found = append(v.found, &failure{Group: g, in: []*Facts{f}, standing: g.standing()})
	}
	v.unlisted[f.standing()] += f.MoreNew
	v.unlisted[standsBase] += f.MoreKnown
	if len(f.New)+len(f.Known) == 0 && status != store.StatusRunning || f.Unexplained {
		v.found = append(v.found, &failure{in: []*Facts{f}, standing: f.wordless(), wordless: true})
	}
}

// report records the errors of a run that passed.
func (v *pullView) report(f *Facts) {
	v.counts.Reported += f.Run.Errors
	if f.Baseline.Found() {
		v.counts.ReportedNew += f.NewErrors
	}
	for _, g := range append(slices.Clone(f.New), f.Known...) {
		g.Sample.Run = v.ref(f.Run)
		v.reported = append(v.reported, &failure{Group: g, in: []*Facts{f}})
	}
}

// fixed returns the number of errors that the baseline has and the run does not have. It returns 0 without a baseline,
// and for a run that did not end by itself.
func (v *pullView) fixed(f *Facts) int {
	if f.Baseline.Found() && f.Run.Ended() {
		return f.Fixed
	}
	return 0
}

// standing returns the standing of the errors in Facts.New.
func (f *Facts) standing() standing {
	if f.Baseline.Found() {
		return standsNew
	}
	return standsUnknown
}

// wordless returns the standing of a run that failed without an error that explains the failure.
func (f *Facts) wordless() standing {
	switch {
	case !f.Baseline.Found():
		return standsUnknown
	case f.Unexplained:
		return standsNew
	}
	return standsBase
}

func (g Group) standing() standing {
	if g.Why.Flaky != nil && g.Why.OnBase == "" {
		return standsFlaky
	}
	return standsBase
}

// settle merges failures that several runs share, such as the runs of the jobs of a matrix. It counts the failures, and
// sorts new failures first. A failure that is new in any of the runs is new.
func (v *pullView) settle() {
	for _, f := range v.runs {
		if failed := f.Run.State != store.StateRunning && f.Run.Status() != store.StatusOK; failed && v.mayFail(f.Run) {
			v.allowed[f] = true
		}
	}
	for _, f := range v.runs {
		v.add(f)
	}
	sort.SliceStable(v.found, func(i, k int) bool { return v.found[i].standing < v.found[k].standing })
	index := map[string]*failure{}
	for _, f := range v.found {
		v.file(f, index)
	}
	for _, f := range v.failures {
		v.count(f.standing, f.count())
	}
	for s, n := range v.unlisted {
		v.count(standing(s), n)
	}
	v.checkJobs()
	v.counts.Jobs, v.counts.Open, v.counts.Retried = len(v.silent)+len(v.cancelled), len(v.open), len(v.flaky)
}

func (v *pullView) count(s standing, n int) {
	*v.counts.of(s) += n
	v.counts.Failed += n
}

// file merges a failure with an earlier failure that shares an error with it. Without such a failure, file adds it to
// the list.
func (v *pullView) file(f *failure, index map[string]*failure) {
	if f.wordless {
		v.failures = append(v.failures, f)
		return
	}
	var have *failure
	f.eachName(func(name string) { have = cmp.Or(have, index[name]) })
	f.Sample.Run = v.ref(f.in[0].Run)
	if have == nil {
		have = f
		v.failures = append(v.failures, f)
		f.prints = map[string]int{}
		f.each(func(e store.RunEvent) { f.prints[e.Fingerprint]++ })
	} else {
		have.merge(f)
	}
	f.eachName(func(name string) { index[name] = have })
}

// merge adds the errors of another failure that this failure lacks. If an error occurs more often in the other failure,
// merge adds the missing occurrences. If not all errors were read, merge adds no errors, and the count of the result is
// the larger of the two counts.
func (f *failure) merge(other *failure) {
	if f.sampled() || other.sampled() {
		f.Sample.More += max(0, other.count()-f.count())
	} else {
		seen := map[string]int{}
		other.each(func(e store.RunEvent) {
			if seen[e.Fingerprint]++; seen[e.Fingerprint] > f.prints[e.Fingerprint] {
				f.prints[e.Fingerprint]++
				f.Others = append(f.Others, e)
			}
		})
	}
	if !slices.Contains(f.in, other.in[0]) {
		f.in = append(f.in, other.in[0])
	}
}

// sampled reports whether only some errors of the group were read.
func (f *failure) sampled() bool { return f.Count() > 1+len(f.Others) }

// eachName calls the function with each name that identifies the failure in all runs. The names are the fingerprints of
// its errors. An error that stands for further errors also has a name made of its pattern.
func (f *failure) eachName(do func(string)) {
	f.each(func(e store.RunEvent) {
		do(e.Fingerprint)
		if e.More > 0 {
			do("like " + e.Pattern)
		}
	})
}

// excerpts reads the log lines of the failures that are shown with log lines.
func (v *pullView) excerpts(ctx context.Context, a *query.Asker) error {
	for _, f := range v.failures[:min(len(v.failures), maxExcerpts)] {
		if f.wordless {
			continue
		}
		var err error
		if f.Log, err = Excerpt(ctx, a, f.in[0].Run, f.Sample.Event); err != nil {
			return err
		}
	}
	return nil
}

func (f *failure) each(do func(store.RunEvent)) {
	do(f.Sample)
	for _, e := range f.Others {
		do(e)
	}
}

func (f *failure) count() int {
	if f.wordless {
		return 1
	}
	return f.Count()
}

// of returns the counter for a standing.
func (c *PullCounts) of(s standing) *int {
	switch s {
	case standsNew:
		return &c.New
	case standsUnknown:
		return &c.Unknown
	case standsFlaky:
		return &c.Flaky
	}
	return &c.Base
}

// ref returns the ref of a run without the repository, or the zero Ref if readers cannot use refs.
func (v *pullView) ref(r store.Run) store.Ref {
	if v.params.Passing {
		return store.Ref{}
	}
	return store.Ref{Source: r.Source, Serial: r.Serial}
}
