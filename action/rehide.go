package action

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/store"
)

// rehideWait is how long the end of a step may take to remove secrets from the runs of earlier steps. The end of the
// next step, or of the job, removes the rest.
const rehideWait = 5 * time.Second

// cleanFile has the number of values that were secret when all runs of the job's store were without them.
func (s jobFolder) cleanFile() string { return s.path("clean") }

// noteClean notes that the first values secrets are in no run of the job's store. For the first step, which begins with
// an empty store, a note that exists stays.
func (s *wrapped) noteClean(values int, first bool) error {
	if _, err := os.Stat(s.state.cleanFile()); first && err == nil {
		return nil
	}
	return os.WriteFile(s.state.cleanFile(), []byte(strconv.Itoa(values)), 0o644)
}

// rehideStore removes what became secret too late from the runs in the job's store: a cache or an artifact of the
// user's may hold that store. own is the run of this step, the zero Run for none. It reports whether no secret is
// left.
func (s *wrapped) rehideStore(ctx context.Context, own store.Run, wait time.Duration) (clean bool) {
	values := s.Redactor.Values()
	text, _ := os.ReadFile(s.state.cleanFile()) // without it, all runs are read
	hidden, _ := strconv.Atoi(string(text))
	late := values > hidden
	if !late && (own.Attempt == "" || !s.hider().Late()) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	runs := []store.Run{own}
	var err error
	if late {
		runs, err = s.w.Store.Runs(ctx, store.Everything(), store.RunFilter{})
	}
	hider := record.Hider{Redactor: s.Redactor, Known: -1}
	for _, r := range runs {
		if r.State != store.StateRunning { // its step does so at its end
			err = errors.Join(err, hider.Rehide(ctx, s.w, r))
		}
	}
	if err == nil && late {
		err = s.noteClean(values, false)
	}
	if err != nil {
		s.lost = append(s.lost, "secrets of this step may be left in "+s.state.store()+" until a later step: "+err.Error())
	}
	return err == nil
}
