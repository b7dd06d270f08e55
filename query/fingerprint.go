package query

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/store"
)

// PastParams name an error by its fingerprint, or by the 16 digits at the end of it.
type PastParams struct {
	Fingerprint string
	Repo        string // "" for any
}

// Past is what is known of all errors with one fingerprint.
type Past struct {
	Event       // the newest
	Code        string
	Identity    store.Identity // cleaned
	Occurrences int
	Runs        int
	First, Last StripRun
	Looked      int // newest runs that Branches and Sources count
	Branches    []Share
	Sources     []Share
	Samples     []Event // of different runs, newest first
	Courses     []Course
}

// Share counts the runs on a branch or of a source.
type Share struct {
	Name string
	Runs int
}

// Course is how an error came and went on a branch of a step.
type Course struct {
	Source string
	Leg    string // of the matrix
	Branch string
	Strip  Strip // of the newest runs, whether they have the error or not
	Came   *Turn // nil if it is not known
	Went   *Turn // nil if it is there, or nobody knows
}

// These bound what is read about a fingerprint.
const (
	pastRuns    = 200 // newest runs with it
	pastSamples = 5
	pastCourses = 4
	pastStrip   = 30 // runs of a strip
	pastBefore  = 5  // runs before the first one with the error
)

// Past returns what is known of a fingerprint. NotFound: no run has it. Invalid: it is none.
func (a *Asker) Past(ctx context.Context, p PastParams) (Past, error) {
	print := p.Fingerprint
	if !strings.Contains(print, "_") {
		print = "_" + print
	}
	if _, ok := store.FingerprintHash(print); !ok {
		return Past{}, store.Hint(store.Errorf(store.Invalid, "%.80q is no fingerprint", p.Fingerprint),
			"a fingerprint ends with 16 hexadecimal digits, as in gcc_compile_0123456789abcdef")
	}
	e, found, err := a.withFingerprint(ctx, p.Repo, print)
	if err != nil {
		return Past{}, err
	}
	prints := []string{}
	if found {
		prints = printsOf(e)
	}
	seen := store.Sightings{}
	if found {
		if seen, err = a.Store.Sightings(ctx, a.Scope, p.Repo, pastRuns, prints...); err != nil {
			return Past{}, err
		}
	}
	if len(seen.Newest) == 0 {
		return Past{}, store.Hint(store.Errorf(store.NotFound, "no run has an error with the fingerprint %.80q",
			p.Fingerprint), "the runs that had it may have been removed, because only newer runs are kept")
	}
	past := Past{Identity: cleanIdentity(store.IdentityOf(e)), Occurrences: seen.Occurrences,
		Runs: seen.Runs, First: newStripRun(seen.First), Last: newStripRun(seen.Newest[0].Run), Looked: len(seen.Newest)}
	past.count(seen.Newest)
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

// count counts the runs by branch and by source.
func (p *Past) count(runs []store.Sighting) {
	branches, sources := map[string]int{}, map[string]int{}
	for _, r := range runs {
		branches[Clean(r.Git.Branch)]++
		sources[r.Source]++
	}
	for _, b := range byCount(branches) {
		p.Branches = append(p.Branches, Share{b, branches[b]})
	}
	for _, s := range byCount(sources) {
		p.Sources = append(p.Sources, Share{s, sources[s]})
	}
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

// courses finds where the error came and went on the branches that had it last.
func (a *Asker) courses(ctx context.Context, p *Past, seen store.Sightings, prints []string) error {
	type place struct {
		step   store.Step
		branch string
	}
	oldest := map[place]store.Run{}
	var order []place
	for _, r := range seen.Newest {
		at := place{r.Step(), r.Git.Branch}
		if _, is := oldest[at]; !is {
			order = append(order, at)
		}
		oldest[at] = r.Run
	}
	for _, at := range order[:min(len(order), pastCourses)] {
		first := oldest[at]
		c := Course{Source: at.step.Source, Leg: Clean(at.step.Leg), Branch: Clean(at.branch)}
		w, err := a.windowOf(ctx, first, store.RunFilter{Branch: at.branch}, pastStrip, prints)
		if err != nil {
			return err
		}
		c.Strip = w.strip(prints...)
		c.Came, c.Went = c.Strip.Turns(c.Branch)
		if c.Came == nil && seen.Runs == len(seen.Newest) { // it came before the strip begins
			f := store.RunFilter{Branch: at.branch, Before: first.Serial + 1}
			if w, err = a.windowOf(ctx, first, f, pastBefore, prints); err != nil {
				return err
			}
			c.Came, _ = w.strip(prints...).Turns(c.Branch)
		}
		p.Courses = append(p.Courses, c)
	}
	return nil
}
