package ingesttest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// document is the OpenAPI document. Its router finds the operation of a request.
type document struct {
	*openapi3.T
	routers.Router
}

// served is the document of the first service. All services serve the same document.
var served struct {
	sync.Once
	document
	err error
}

func (f *fixture) document() document {
	f.Helper()
	served.Do(func() { served.document, served.err = load(f.URL + "/v1/openapi.yaml") })
	f.ok(served.err)
	return served.document
}

func load(url string) (document, error) {
	res, err := http.Get(url)
	if err != nil {
		return document{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return document{}, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return document{}, err
	}
	if err := doc.Validate(context.Background()); err != nil {
		return document{}, err
	}
	router, err := gorillamux.NewRouter(doc)
	return document{doc, router}, err
}

// described checks that the OpenAPI document describes an answer. If the request was accepted, the document must
// describe the request, too. Requests outside of the API are not checked.
func (f *fixture) described(r request, req *http.Request, a answer) {
	f.Helper()
	doc := f.document()
	req = req.Clone(req.Context())
	req.URL.Host, req.URL.Scheme, req.Host = "", "", ""
	req.Body = io.NopCloser(bytes.NewReader(r.body))
	route, params, err := doc.FindRoute(req)
	if err != nil {
		return
	}
	isJSON := strings.HasPrefix(req.Header.Get("Content-Type"), "application/json")
	in := &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route,
		Options: &openapi3filter.Options{
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, ExcludeRequestBody: !isJSON, IncludeResponseStatus: true,
			ExcludeResponseBody: !strings.HasPrefix(a.header.Get("Content-Type"), "application/json"),
		}}
	if a.status < 300 {
		if err := openapi3filter.ValidateRequest(f.Context(), in); err != nil {
			f.Errorf("%s %s was accepted, but differs from the document: %v", r.method, r.path, err)
		}
		f.describedEvents(doc, req, r)
	}
	if err := openapi3filter.ValidateResponse(f.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: a.status, Header: a.header, Body: io.NopCloser(bytes.NewReader(a.body)),
		Options: in.Options,
	}); err != nil {
		f.Errorf("the answer to %s %s differs from the document: %v\n%d %s", r.method, r.path, err, a.status, a.body)
	}
}

// describedEvents checks the lines of a batch of events.
func (f *fixture) describedEvents(doc document, req *http.Request, r request) {
	f.Helper()
	if req.Header.Get("Content-Type") != "application/x-ndjson" || req.Header.Get("Content-Encoding") != "" {
		return
	}
	for line := range strings.Lines(string(r.body)) {
		var v any
		if strings.TrimSpace(line) == "" {
			continue
		}
		f.ok(json.Unmarshal([]byte(line), &v))
		if err := doc.Components.Schemas["Event"].Value.VisitJSON(v, openapi3.EnableJSONSchema2020()); err != nil {
			f.Errorf("the event was accepted, but differs from the document: %v\n%s", err, line)
		}
	}
}
