package query

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/store"
)

// PastParams name an error by its fingerprint, or by the last 16 digits of the fingerprint.
type PastParams struct {
	Fingerprint string
	Repo        string // "" for any repository
}

// Past is the history of all errors with one fingerprint.
type Past struct {
	Event       // the newest event
	Code        string
	Identity    store.Identity // identity, safe to show
	Occurrences int
	Runs        int
	First, Last StripRun
	Looked      int // number of newest runs in Branches and Sources
	Branches    []Share
	Sources     []Share
	Samples     []Event // events of different runs, newest first
	Courses     []Course
}

// Share is the number of runs on a branch or of a source.
type Share struct {
	Name string `json:"name" jsonschema:"branch or source"`
	Runs int    `json:"run_count" jsonschema:"runs"`
}

// Course describes when an error appeared and disappeared in a step on a branch.
type Course struct {
	Source string
	Leg    string // leg of the matrix
	Branch string
	Strip  Strip // the newest runs, with or without the error
	Came   *Turn // the runs around its appearance, nil if unknown
	Went   *Turn // the runs around its disappearance, nil if the error is still there or if blq does not know
}

// These limits bound the reads for a question about a fingerprint.
const (
	pastRuns    = 200 // newest runs with the fingerprint
	pastSamples = 5
	pastCourses = 4
	pastStrip   = 30 // runs of a strip
	pastBefore  = 5  // runs before the first run with the error
)

// Past returns the history of a fingerprint. NotFound: no run has it. Invalid: the text is not a fingerprint.
func (a *Asker) Past(ctx context.Context, p PastParams) (Past, error) {
	print := p.Fingerprint
	if !strings.Contains(print, "_") {
		print = "_" + print
	}
	if _, ok := store.FingerprintHash(print); !ok {
		return Past{}, store.Hint(store.Errorf(store.Invalid, "%.80q is not a fingerprint", p.Fingerprint),
			"a fingerprint ends with 16 hexadecimal digits, as in gcc_compile_0123456789abcdef")
	}
	e, seen, err := a.sightings(ctx, p.Repo, print, pastRuns)
	if err != nil {
		return Past{}, err
	}
	prints := printsOf(e)
	past := Past{Identity: cleanIdentity(store.IdentityOf(e)), Occurrences: seen.Occurrences,
		Runs: seen.Runs, First: newStripRun(seen.First), Last: newStripRun(seen.Newest[0].Run), Looked: len(seen.Newest)}
	past.Branches, past.Sources = shares(seen.Newest)
	if err := a.samples(ctx, &past, seen.Newest, prints); err != nil {
		return Past{}, err
	}
	err = a.courses(ctx, &past, seen, prints)
	return past, err
}

func cleanIdentity(id store.Identity) store.Identity {
	for _, s := range []*string{&id.Tool, &id.Code, &id.Test, &id.File, &id.Message} {
		*s = Clean(*s)
	}
	return id
}

// shares returns the numbers of runs on each branch, and of each source.
func shares(runs []store.Sighting) (branches, sources []Share) {
	onBranch, ofSource := map[string]int{}, map[string]int{}
	for _, r := range runs {
		onBranch[Clean(r.Git.Branch)]++
		ofSource[r.Source]++
	}
	for _, b := range byCount(onBranch) {
		branches = append(branches, Share{b, onBranch[b]})
	}
	for _, s := range byCount(ofSource) {
		sources = append(sources, Share{s, ofSource[s]})
	}
	return branches, sources
}

// samples reads the first event of each of the newest runs.
func (a *Asker) samples(ctx context.Context, p *Past, runs []store.Sighting, prints []string) error {
	for _, r := range runs[:min(len(runs), pastSamples)] {
		page, err := a.Store.Events(ctx, a.Scope, store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}},
			Fingerprints: prints, Limit: 1, Uncounted: true})
		if err != nil {
			return err
		}
		for _, e := range page.Events {
			sample := newEvent(e)
			sample.Ref = e.Ref().String()
			p.Samples = append(p.Samples, sample)
			if len(p.Samples) == 1 {
				p.Event, p.Code = sample, Clean(e.Code)
			}
		}
	}
	return nil
}

// courses adds the courses of the error to the answer. A course shows when the error appeared and disappeared in a step
// on a branch. courses reads the steps and branches of the newest runs with the error, at most pastCourses of them.
func (a *Asker) courses(ctx context.Context, p *Past, seen store.Sightings, prints []string) error {
	oldest := map[courseKey]store.Run{}
	var order []courseKey
	for _, r := range seen.Newest {
		at := courseOf(r.Run)
		if _, is := oldest[at]; !is {
			order = append(order, at)
		}
		oldest[at] = r.Run
	}
	for _, at := range order[:min(len(order), pastCourses)] {
		c, err := a.course(ctx, oldest[at], seen, prints)
		if err != nil {
			return err
		}
		p.Courses = append(p.Courses, c)
	}
	return nil
}

// courseKey holds the fields that are equal for all runs of a course.
type courseKey struct {
	step   store.Step
	branch string
}

func courseOf(r store.Run) courseKey { return courseKey{r.Step(), r.Git.Branch} }

// course returns when an error appeared and disappeared in a step on a branch. r is the oldest known run with the
// error.
func (a *Asker) course(ctx context.Context, r store.Run, seen store.Sightings, prints []string) (Course, error) {
	w, err := a.windowOf(ctx, r, store.RunFilter{Branch: r.Git.Branch}, pastStrip, prints)
	if err != nil {
		return Course{}, err
	}
	c := Course{Source: r.Source, Leg: Clean(r.Leg()), Branch: Clean(r.Git.Branch), Strip: w.strip(prints...)}
	c.Came, c.Went = c.Strip.Turns(c.Branch)
	if c.Came == nil && seen.Runs == len(seen.Newest) { // the error appeared before the oldest run in the strip
		w, err = a.windowOf(ctx, r, store.RunFilter{Branch: r.Git.Branch, Before: r.Serial + 1}, pastBefore, prints)
		c.Came, _ = w.strip(prints...).Turns(c.Branch)
	}
	return c, err
}

// sightings returns an event with a fingerprint, and the newest runs with such an event. NotFound: no run has such an
// event.
func (a *Asker) sightings(ctx context.Context, repo, print string, runs int) (store.Event, store.Sightings, error) {
	e, found, err := a.withFingerprint(ctx, repo, print)
	if err != nil {
		return e, store.Sightings{}, err
	}
	if !found {
		return e, store.Sightings{}, unknownPrint(print)
	}
	seen, err := a.Store.Sightings(ctx, a.Scope, repo, runs, printsOf(e)...)
	if err == nil && len(seen.Newest) == 0 {
		err = unknownPrint(print)
	}
	return e, seen, err
}

func unknownPrint(print string) error {
	return store.Hint(store.Errorf(store.NotFound, "no run has an error with the fingerprint %.80q",
		strings.TrimPrefix(print, "_")), "the runs that had it may have been removed, because only newer runs are kept")
}
