package ingest

import (
	_ "embed"
	"net/http"
	"strings"

	"github.com/blq-ci/blq/query/questions"
)

//go:embed openapi.yaml
var openAPIText string

// openAPI returns the OpenAPI document of the API. The document lists the questions and the read-only tools of the
// table t.
func openAPI(t questions.Table) []byte {
	var names, tools []string
	for _, row := range t {
		if row.IsQuestion() {
			names = append(names, row.Name)
		}
	}
	for _, row := range t.Tools() {
		if row.ReadOnly {
			tools = append(tools, row.Tool)
		}
	}
	list := func(words []string) string { return "enum: [" + strings.Join(words, ", ") + "]" }
	return []byte(strings.NewReplacer("enum: [questions]", list(names), "enum: [tools]", list(tools)).Replace(openAPIText))
}

func (s *Service) openapi(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/yaml")
	w.Header().Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(openAPI(s.Questions)) // fails only if the client has disconnected
	return nil
}
