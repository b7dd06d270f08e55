package ingest

import (
	"net/http"

	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/query/remote"
	"github.com/blq-ci/blq/store"
)

// noQuestions returns the error of a service that answers no questions.
func noQuestions() error { return store.Errorf(store.NotFound, "this server answers no questions") }

// question answers a question of the command line. The answer is complete, while a tool's answer is shortened for
// agents. The service refuses a question if the question's tool is not offered.
func (s *Service) question(w http.ResponseWriter, r *http.Request) error {
	if s.Ask == nil || s.Tools == nil {
		return noQuestions()
	}
	var in remote.Request
	if err := s.readJSON(w, r, &in); err != nil {
		return err
	}
	name := r.PathValue("question")
	if row, found := s.Questions.Find(name); found && (!row.IsQuestion() || !s.Tools.Offers(row.Tool)) {
		return store.Errorf(store.Forbidden, "this server does not answer %s", name)
	}
	asker, err := s.Ask(r.Context())
	if err != nil {
		return err
	}
	text, err := remote.Answer(r.Context(), s.Questions, asker, name, in)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // fails only if the client has disconnected
	return nil
}

// asked returns the row of the question or tool that a request names.
func (s *Service) asked(r *http.Request) (questions.Row, bool) {
	if name := r.PathValue("question"); name != "" {
		return s.Questions.Find(name)
	}
	tool := r.PathValue("tool")
	if row, found := s.Questions.FindTool(tool); found {
		return row, true
	}
	row, found := s.Questions.Find(tool)
	return row, found && row.Compat
}
