package ingest

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// finish completes a run if the service has all its chunks and events.
func (s *Service) finish(w http.ResponseWriter, r *http.Request) error {
	run, err := s.attempt(r)
	if err != nil {
		return err
	}
	var in api.Finish
	if err := s.readJSON(w, r, &in); err != nil {
		return err
	}
	if run.State != store.StateCompleted {
		if run, err = s.complete(r, run, in); err != nil {
			return err
		}
	}
	httpserver.WriteJSON(w, http.StatusOK, api.Finished{
		RunRef: run.Ref().String(), Status: run.Status(), Errors: run.Errors, Warnings: run.Warnings, URL: s.runURL(run)})
	return nil
}

func (s *Service) complete(r *http.Request, run store.Run, in api.Finish) (store.Run, error) {
	if err := checkFinish(in); err != nil {
		return run, err
	}
	if err := s.checkWhole(r, run, in); err != nil {
		return run, err
	}
	now := s.Now()
	ended := s.when(in.FinishedAt, now)
	if !in.BeganAt.IsZero() && in.FinishedAt.After(in.BeganAt) { // correct even if the client's clock is wrong
		ended = s.when(run.StartedAt.Add(in.FinishedAt.Sub(in.BeganAt)), now)
	}
	if ended.Before(run.StartedAt) {
		ended = run.StartedAt
	}
	run, err := s.Store.FinishRun(r.Context(), run.Attempt, store.Finish{
		Ending: store.Ending{FinishedAt: ended, ExitCode: in.ExitCode, Signal: in.Signal, Reason: in.Reason, Lost: in.Lost},
		Chunks: in.Chunks, Batches: in.Batches, Lines: in.Lines, Cut: in.Cut, Files: in.Files,
	})
	if err == nil {
		s.Observer.Received(KindFinished, 1, httpserver.BytesIn(r.Context()))
		s.Observer.Lag(KindFinished, max(0, s.Now().Sub(ended)))
		if s.Ended != nil {
			s.Ended(r.Context(), run)
		}
	}
	return run, err
}

func checkFinish(in api.Finish) error {
	if !slices.Contains([]store.Reason{store.ReasonExit, store.ReasonTimeout, store.ReasonCancelled}, in.Reason) {
		return store.Errorf(store.Invalid, "reason must be timeout, cancelled, or left out, not %.40q", in.Reason)
	}
	if c := in.ExitCode; c != nil && (*c < -1<<31 || *c > 1<<32-1) { // Windows has large exit codes
		return store.Errorf(store.Invalid, "exit_code %d is none", *c)
	}
	if err := checkFields(field{"signal", in.Signal, 40}, field{"lost", in.Lost, 4096}); err != nil {
		return err
	}
	if len(in.Files) > store.MaxFileDigests {
		return store.Errorf(store.Invalid, "files has more than %d digests", store.MaxFileDigests)
	}
	for _, digest := range in.Files {
		if len(digest) != 16 || strings.Trim(digest, "0123456789abcdef") != "" {
			return store.Errorf(store.Invalid, "files: %.40q is not a digest of 16 hexadecimal digits", digest)
		}
	}
	return checkNumbers(number{"chunks", in.Chunks}, number{"batches", in.Batches}, number{"lines", in.Lines})
}

// checkWhole compares the numbers of chunks and batches in the store with the client's numbers. It also checks that
// the chunks follow each other. If chunks are missing, it returns nil, because the store reports missing chunks.
func (s *Service) checkWhole(r *http.Request, run store.Run, in api.Finish) error {
	got, err := s.Store.Received(r.Context(), store.Repos(run.Repo), run.Attempt)
	if err != nil {
		return err
	}
	if got.AllChunks > in.Chunks && !in.Cut || got.AllBatches > in.Batches {
		return store.Hint(store.Errorf(store.Conflict,
			"run %s has %d chunks and %d batches of events, more than the %d and %d that were counted", run.Ref(), got.AllChunks,
			got.AllBatches, in.Chunks, in.Batches),
			"count what was sent, and finish again")
	}
	if got.Chunks < in.Chunks {
		return nil
	}
	for _, stream := range []string{store.StreamCombined, store.StreamStdout, store.StreamStderr} {
		chunks, err := s.Store.Chunks(r.Context(), store.Repos(run.Repo), run.Attempt, stream, 1, 0)
		if err != nil {
			return err
		}
		if in.Cut {
			chunks = slices.DeleteFunc(chunks, func(c store.Chunk) bool { return c.Sequence >= in.Chunks })
		}
		if err := checkChain(chunks); err != nil {
			return err
		}
	}
	return nil
}

// checkChain checks that the chunks of a stream follow each other without a gap or an overlap.
func checkChain(chunks []store.Chunk) error {
	line, offset := 1, int64(0)
	for _, c := range chunks {
		if c.FirstLine != line || c.Offset != offset {
			return store.Hint(store.Errorf(store.Conflict,
				"chunk %d begins with line %d at byte %d, but what is before it ends with line %d at byte %d", c.Sequence,
				c.FirstLine, c.Offset, line, offset),
				"this log cannot be completed: send the run anew, with another attempt_id")
		}
		line, offset = line+c.Lines, offset+c.Bytes
	}
	return nil
}

// heartbeat records that a run is alive, at the time of the service's clock.
func (s *Service) heartbeat(w http.ResponseWriter, r *http.Request) error {
	run, err := s.attempt(r)
	if err != nil {
		return err
	}
	if err := s.checkOpen(run); err != nil {
		return err
	}
	if _, err := s.readBody(w, r, api.MaxJSON); err != nil {
		return err
	}
	if err := s.Store.Heartbeat(r.Context(), run.Attempt, s.Now()); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// sawEvery is the time after a heartbeat in which parts of the run do not count as further heartbeats.
const sawEvery = 10 * time.Second

// sawPart records that a running run is alive, because a part of it has arrived. Parts of an orphaned run do not bring
// it back: they may come from a later push.
func (s *Service) sawPart(ctx context.Context, run store.Run) error {
	now := s.Now()
	if run.State != store.StateRunning || now.Sub(run.HeartbeatAt) < sawEvery {
		return nil
	}
	err := s.Store.Heartbeat(ctx, run.Attempt, now)
	if code := store.CodeOf(err); code == store.Conflict || code == store.NotFound {
		return nil // the run was completed or pruned meanwhile, and the part was stored before
	}
	return err
}
