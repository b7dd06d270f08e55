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

// rehideWait is the max time at the end of a step for removing secrets from the runs of earlier steps. If the time
// is too short, the remaining secrets are removed at the end of the next step or of the job.
const rehideWait = 5 * time.Second

// cleanFile returns the path of a file that contains a number n: the first n secret values are already removed from
// all runs in the job's store.
func (s jobFolder) cleanFile() string { return s.path("clean") }

// noteClean records that the first secret values have been removed from all runs in the job's store. The parameter
// values is the number of these values. isFirst is true before the run of each step. In this case, noteClean writes
// only the first record of a job, when the job's store is still empty. It keeps an existing record.
func (s *wrapped) noteClean(values int, isFirst bool) error {
	if _, err := os.Stat(s.state.cleanFile()); isFirst && err == nil {
		return nil
	}
	return os.WriteFile(s.state.cleanFile(), []byte(strconv.Itoa(values)), 0o644)
}

// rehideStore removes secrets from the runs in the job's store, because a cache or an artifact of the user may contain
// the store. It removes secrets that became known only after a run had been recorded. current is the run of this step,
// or the zero Run. clean reports whether the ended runs now contain no known secret. It is false if the removal failed
// or took longer than wait.
func (s *wrapped) rehideStore(ctx context.Context, current store.Run, wait time.Duration) (clean bool) {
	values := s.Redactor.Values()
	text, _ := os.ReadFile(s.state.cleanFile()) // if the file is missing, rehideStore reads all runs
	hidden, _ := strconv.Atoi(string(text))
	late := values > hidden
	if !late && (current.Attempt == "" || !s.hider().Late()) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	runs := []store.Run{current}
	var err error
	if late {
		runs, err = s.w.Store.Runs(ctx, store.Everything(), store.RunFilter{})
	}
	hider := record.Hider{Redactor: s.Redactor, Known: -1}
	for _, r := range runs {
		if r.State != store.StateRunning { // a running step cleans its own run at its end
			changed, failed := hider.Rehide(ctx, s.w, r)
			if changed {
				s.sendAgain(r)
			}
			err = errors.Join(err, failed)
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
