package ingest

import (
	"net/http"
	"slices"

	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/query/remote"
	"github.com/blq-ci/blq/store"
)

// question answers a question of the command line: whole, where a tool's answer
// is cut to what an agent can take. What a tool tells that is not offered is not
// told here either.
func (s *Service) question(w http.ResponseWriter, r *http.Request) error {
	if s.Tools == nil {
		return store.Errorf(store.NotFound, "this server answers no questions")
	}
	var in remote.Request
	if err := s.readJSON(w, r, &in); err != nil {
		return err
	}
	name := r.PathValue("question")
	if row, found := questions.All().Find(name); found && !slices.Contains(s.Tools.Questions(), row.Tool) {
		return store.Errorf(store.Forbidden, "%s is not answered here", name)
	}
	asker, err := s.Tools.Asker(r.Context())
	if err != nil {
		return err
	}
	text, err := remote.Answer(r.Context(), questions.All(), asker, name, in)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // who does not listen is gone
	return nil
}

// asked returns the tool that tells what a request asks for, as far as the right
// to ask goes; a name of nothing stays as it is.
func asked(r *http.Request) string {
	if name := r.PathValue("question"); name != "" {
		if row, found := questions.All().Find(name); found {
			return row.Tool
		}
		return name
	}
	return r.PathValue("tool")
}
