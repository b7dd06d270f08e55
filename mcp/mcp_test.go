package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// serve returns a server over the fixture. change alters its configuration.
func serve(t *testing.T, change ...func(*mcp.Config)) *server {
	t.Helper()
	return serveOn(t, querytest.New(t), change...)
}

func serveOn(t *testing.T, f *querytest.Fixture, change ...func(*mcp.Config)) *server {
	t.Helper()
	c := mcp.Config{Ask: func(context.Context) (*query.Asker, error) { return f.Asker, nil }, Version: "test"}
	for _, do := range change {
		do(&c)
	}
	s, err := mcp.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return &server{t, s, f}
}

type server struct {
	*testing.T
	*mcp.Server
	fixture *querytest.Fixture
}

// request sends a message as a client does. It returns the result, or the message of the error.
func (s *server) request(method string, params any) (result json.RawMessage, problem string) {
	s.Helper()
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	querytest.Check(s.T, err)
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", bytes.NewReader(message))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	s.Handler(mcp.HTTPConfig{}).ServeHTTP(w, r)
	text := w.Body.Bytes()
	var answer struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	querytest.Check(s.T, json.Unmarshal(text, &answer))
	if answer.Error != nil {
		return nil, answer.Error.Message
	}
	return answer.Result, ""
}

// call calls a tool. It returns the answer as text, and reports whether it is an error.
func (s *server) call(tool, arguments string) (text string, isError bool) {
	s.Helper()
	result, problem := s.request("tools/call", map[string]any{"name": tool, "arguments": json.RawMessage(arguments)})
	if problem != "" {
		return problem, true
	}
	var r struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	querytest.Check(s.T, json.Unmarshal(result, &r))
	if !r.IsError {
		var a, b any
		querytest.Check(s.T, json.Unmarshal(r.StructuredContent, &a))
		querytest.Check(s.T, json.Unmarshal([]byte(r.Content[0].Text), &b))
		if diff := cmp.Diff(a, b); diff != "" {
			s.Errorf("%s: structured content and text differ:\n%s", tool, diff)
		}
	}
	return r.Content[0].Text, r.IsError
}

// golden compares JSON with a golden file.
func golden(t *testing.T, name, text string) {
	t.Helper()
	var v any
	querytest.Check(t, json.Unmarshal([]byte(text), &v))
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	querytest.Check(t, enc.Encode(v))
	path := filepath.Join("testdata", name)
	if *update {
		querytest.Check(t, os.MkdirAll("testdata", 0o755))
		querytest.Check(t, os.WriteFile(path, []byte(b.String()), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	querytest.Check(t, err)
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", path, diff)
	}
}
