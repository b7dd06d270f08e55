package ingest

import (
	_ "embed"
	"net/http"
)

// OpenAPI is the document that describes the API.
//
//go:embed openapi.yaml
var OpenAPI []byte

func (s *Service) openapi(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/yaml")
	w.Header().Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(OpenAPI) // who does not listen is gone
	return nil
}
