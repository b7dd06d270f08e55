package query

import (
	"context"

	"github.com/blq-ci/blq/store"
)

// Strip lists the last comparable runs, oldest first. Each entry says whether its run had the error.
type Strip []StripRun

// StripRun is a run in a strip.
type StripRun struct {
	RunRef string
	Commit string
	Branch string
	Dirty  bool // the run had uncommitted changes
	Time   string
	// Has reports whether the run had the error. Silent reports whether the run may have ended before the error could
	// occur.
	Has, Silent bool
}

func newStripRun(r store.Run) StripRun {
	return StripRun{RunRef: r.Ref().String(), Commit: r.Git.Commit, Branch: Clean(r.Git.Branch), Dirty: r.Git.Dirty,
		Time: stamp(r.StartedAt)}
}

// Strips returns a strip for each fingerprint. A strip has at most n runs: the run that ref names, and earlier
// comparable runs of the same step.
func (a *Asker) Strips(ctx context.Context, ref string, n int, fingerprints []string) (map[string]Strip, error) {
	r, _, err := a.run(ctx, ref)
	if err != nil || len(fingerprints) == 0 {
		return nil, err
	}
	w, err := a.window(ctx, r, n, fingerprints)
	if err != nil {
		return nil, err
	}
	strips := map[string]Strip{}
	for _, print := range fingerprints {
		strips[print] = w.strip(print)
	}
	return strips, nil
}

// strip returns the strip of an error. The error may be stored under any of the fingerprints.
func (w window) strip(prints ...string) Strip {
	has := func(r windowRun) (e store.RunEvent, has bool) {
		for _, p := range prints {
			if e, has = r.failed[p]; has {
				break
			}
		}
		return e, has
	}
	test := false
	for _, r := range w.runs {
		e, _ := has(r)
		test = test || e.Category == store.CategoryTest
	}
	s := make(Strip, 0, len(w.runs))
	for _, run := range w.runs {
		r := newStripRun(run.Run)
		if _, r.Has = has(run); !r.Has {
			r.Silent = w.outcome(run, "", test) == silent
		}
		s = append(s, r)
	}
	return s
}

// Turn is the pair of runs between which an error appeared or disappeared. Both runs belong to one branch. One of the
// runs has the error.
type Turn struct{ Before, After StripRun }

// Turns returns when the error last appeared on a branch, and when it disappeared after that. came or went is nil if
// the strip does not show it. Turns skips runs of other branches, and runs that may have ended before the error could
// show.
func (s Strip) Turns(branch string) (came, went *Turn) {
	var last *StripRun
	for i := range s {
		r := &s[i]
		if r.Silent || r.Branch != branch {
			continue
		}
		switch {
		case last == nil:
		case r.Has && !last.Has:
			came, went = &Turn{*last, *r}, nil
		case !r.Has && last.Has:
			went = &Turn{*last, *r}
		}
		last = r
	}
	return came, went
}
