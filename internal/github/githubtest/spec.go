package githubtest

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

//go:embed testdata/api.github.com.json
var described []byte

// spec is GitHub's OpenAPI description.
type spec struct{ routers.Router }

var loaded = sync.OnceValues(func() (*spec, error) {
	doc, err := openapi3.NewLoader().LoadFromData(described)
	if err != nil {
		return nil, err
	}
	router, err := gorillamux.NewRouter(doc)
	return &spec{router}, err
})

func load(t testing.TB) *spec {
	t.Helper()
	s, err := loaded()
	if err != nil {
		t.Fatalf("read GitHub's description: %v", err)
	}
	return s
}

var options = &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
	SkipSettingDefaults: true}

// understands returns an error if GitHub's OpenAPI description does not allow a request.
func (s *spec) understands(r *http.Request, body []byte) (*openapi3filter.RequestValidationInput, error) {
	r = r.Clone(context.Background())
	r.URL.Host, r.URL.Scheme, r.Host = "", "", ""
	r.Body = io.NopCloser(bytes.NewReader(body))
	route, params, err := s.FindRoute(r)
	if err != nil {
		return nil, err
	}
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, Options: options}
	return in, brief(openapi3filter.ValidateRequest(context.Background(), in))
}

// fits adds to a response the fields that GitHub always sends. It returns an error if GitHub's description does not
// allow the response.
func (s *spec) fits(in *openapi3filter.RequestValidationInput, a *answer) error {
	response := in.Route.Operation.Responses.Value(strconv.Itoa(a.status))
	if response == nil && (a.status == http.StatusUnauthorized || a.status == http.StatusForbidden ||
		a.status == http.StatusNotFound || a.status == http.StatusUnprocessableEntity) {
		return nil // any operation may respond with these statuses
	}
	if response == nil {
		return fmt.Errorf("it never answers %d", a.status)
	}
	if a.body == nil {
		return nil
	}
	media := response.Value.Content.Get("application/json")
	if media == nil {
		return fmt.Errorf("%d has no body", a.status)
	}
	text, err := json.Marshal(a.body)
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	a.body = fill(media.Schema.Value, v)
	return brief(media.Schema.Value.VisitJSON(a.body, openapi3.VisitAsResponse()))
}

// brief returns an error without its long schema.
func brief(err error) error {
	var of *openapi3.SchemaError
	if errors.As(err, &of) {
		return fmt.Errorf("/%s: %s", strings.Join(of.JSONPointer(), "/"), of.Reason)
	}
	return err
}
