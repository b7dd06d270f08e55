package ingest

import (
	"net/http"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// compare answers which errors of a run are new. A caller who may only send runs can ask this about the runs that the
// caller may send, and can ask no other question. Such a caller gets the references of the errors without their texts,
// because a token of a repository may send all runs of the repository.
func (s *Service) compare(w http.ResponseWriter, r *http.Request) error {
	if s.Ask == nil {
		return noQuestions()
	}
	run, err := s.attemptIf(
		r, func(p auth.Principal, run store.Run) bool { return p.MayWriteRun(run) || p.MayRead(run.Repo) })
	if err != nil {
		return err
	}
	asker, err := s.Ask(r.Context())
	if err != nil {
		return err
	}
	own := *asker
	own.Scope = store.Repos(run.Repo)
	answer, err := own.Check(r.Context(), query.CheckParams{Run: run.Attempt, FailOn: query.FailOnNewErrors})
	if err != nil {
		return err
	}
	if p := caller(r.Context()); auth.Allow(p, auth.Scope(store.ScopeRead)) != nil || !p.MayRead(run.Repo) {
		for i := range answer.Runs {
			withoutTexts(answer.Runs[i].Events)
		}
	}
	httpserver.WriteJSON(w, http.StatusOK, answer)
	return nil
}

// withoutTexts removes everything from events except their references and severities.
func withoutTexts(events []query.Event) {
	for i, e := range events {
		events[i] = query.Event{Ref: e.Ref, RunRef: e.RunRef, Severity: e.Severity}
	}
}
