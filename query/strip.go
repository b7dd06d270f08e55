package query

import (
	"context"

	"github.com/blq-ci/blq/store"
)

// Strip says in which of the last comparable runs an error was, oldest first.
type Strip []StripRun

// StripRun is a run in a strip.
type StripRun struct {
	RunRef string
	Commit string
	Time   string
	// Has reports whether the run had the error. A run that may have ended too early to show it is Silent.
	Has, Silent bool
}

// Strips returns a strip for each fingerprint: ref and earlier comparable runs of its step, n in all.
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
		for _, run := range w.runs {
			o := w.outcome(run, print, run.failed[print].Category == store.CategoryTest)
			strips[print] = append(strips[print], StripRun{RunRef: run.Ref().String(), Commit: run.Git.Commit,
				Time: stamp(run.StartedAt), Has: o == failed, Silent: o == silent})
		}
	}
	return strips, nil
}
