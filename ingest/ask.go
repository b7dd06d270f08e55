package ingest

import (
	"net/http"
	"net/url"

	"github.com/blq-ci/blq/store"
)

// ask answers a question with the same JSON as the MCP tool that has the name of the question. Query parameters
// become the tool's arguments. A list is a repeated parameter.
func (s *Service) ask(w http.ResponseWriter, r *http.Request) error {
	if s.Tools == nil {
		return noQuestions()
	}
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return store.Errorf(store.Invalid, "the query cannot be read")
	}
	arguments := map[string]any{}
	for name, values := range q {
		if len(values) == 1 {
			arguments[name] = values[0]
			continue
		}
		list := make([]any, len(values))
		for i, v := range values {
			list[i] = v
		}
		arguments[name] = list
	}
	text, err := s.Tools.Answer(r.Context(), r.PathValue("tool"), arguments)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(text, '\n')) // fails only if the client has disconnected
	return nil
}
