package ingest

import (
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// attemptID reads the ID of an attempt, which must be a UUID of version 7.
func attemptID(s string) (string, error) {
	id, err := uuid.Parse(s)
	if err != nil || len(s) != 36 || id.Version() != 7 || id.Variant() != uuid.RFC4122 {
		return "", store.Hint(store.Errorf(store.Invalid, "attempt_id must be a UUID of version 7"),
			"make one per run, and keep it when the request is repeated")
	}
	return id.String(), nil
}

// attempt returns the run of a request if the caller may send it. The error is NotFound if there is no such run, or if
// it belongs to somebody else.
func (s *Service) attempt(r *http.Request) (store.Run, error) {
	return s.attemptIf(r, auth.Principal.MayWriteRun)
}

// attemptIf returns the run of a request if allowed returns true for the caller and the run. The error is NotFound
// if there is no such run, or if allowed returns false.
func (s *Service) attemptIf(r *http.Request, allowed func(auth.Principal, store.Run) bool) (store.Run, error) {
	id, err := attemptID(r.PathValue("attempt_id"))
	if err != nil {
		return store.Run{}, err
	}
	run, err := s.Store.Run(r.Context(), store.Everything(), store.Ref{Attempt: id})
	if store.CodeOf(err) == store.NotFound || err == nil && !allowed(caller(r.Context()), run) {
		return store.Run{},
			store.Hint(store.Errorf(store.NotFound, "no run %s: it was not started, or was pruned", id), "POST /v1/runs first")
	}
	return run, err
}

// sequence reads the number of a chunk or batch. The number must be below end.
func (s *Service) sequence(r *http.Request, end int, what, limit string) (int, error) {
	n, err := strconv.Atoi(r.PathValue("seq"))
	if err != nil || n < 0 || r.PathValue("seq") != strconv.Itoa(n) {
		return 0, store.Errorf(store.Invalid, "the number of %s must be 0, 1, 2, …", what)
	}
	if n >= end {
		return 0, s.limited(limit, store.Hint(store.Errorf(store.TooLarge, "a run has at most %d %s", end, what),
			"finish it, and say in lost what is not sent"))
	}
	return n, nil
}

// started returns the answer that tells a client which parts of its run the service has.
func (s *Service) started(r *http.Request, run store.Run) (api.Started, error) {
	got, err := s.Store.Received(r.Context(), store.Repos(run.Repo), run.Attempt)
	return api.Started{
		RunRef: run.Ref().String(), RunID: run.Serial, Repo: run.Repo, AttemptID: run.Attempt, State: run.State,
		Chunks: got.Chunks, Batches: got.Batches, URL: s.runURL(run),
	}, err
}

// state answers which parts of a run the service has.
func (s *Service) state(w http.ResponseWriter, r *http.Request) error {
	run, err := s.attemptIf(
		r, func(p auth.Principal, run store.Run) bool { return p.MayWriteRun(run) || p.MayRead(run.Repo) })
	if err != nil {
		return err
	}
	answer, err := s.started(r, run)
	if err != nil {
		return err
	}
	httpserver.WriteJSON(w, http.StatusOK, answer)
	return nil
}
