package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query/querytest"
)

// read reads a resource and returns its text.
func (s *server) read(uri string) (text, problem string) {
	s.Helper()
	result, problem := s.request("resources/read", map[string]any{"uri": uri})
	if problem != "" {
		return "", problem
	}
	var r struct {
		Contents []struct{ URI, MimeType, Text string }
	}
	querytest.Check(s.T, json.Unmarshal(result, &r))
	if len(r.Contents) != 1 || r.Contents[0].URI != uri || r.Contents[0].MimeType == "" {
		s.Errorf("%s: contents %+v", uri, r.Contents)
	}
	return r.Contents[0].Text, ""
}

func TestResourcesAnswerAsToolsDo(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, tt := range []struct{ uri, tool, arguments string }{
		{"blq://status", "status", `{}`},
		{"blq://runs", "history", `{}`},
		{"blq://runs?source=build&limit=1", "history", `{"source": "build", "limit": 1}`},
		{"blq://runs?limit=1&source=build", "history", `{"source": "build", "limit": 1}`},
		{"blq://runs?status=running", "history", `{"status": "running"}`},
		{"blq://events", "events", `{}`},
		{"blq://events?severity=error&run_id=3", "events", `{"severity": "error", "run_id": 3}`},
		{"blq://events?file_pattern=%25util%25", "events", `{"file_pattern": "%util%"}`},
		{"blq://errors", "events", `{"severity": "error"}`},
		{"blq://errors/1", "events", `{"severity": "error", "run_id": 1}`},
		{"blq://errors/build:3", "events", `{"severity": "error", "ref": "build:3"}`},
		{"blq://errors/build%3A3", "events", `{"severity": "error", "ref": "build:3"}`},
		{"blq://warnings", "events", `{"severity": "warning"}`},
		{"blq://warnings/3", "events", `{"severity": "warning", "run_id": 3}`},
	} {
		want, _ := s.call(tt.tool, tt.arguments)
		if got, problem := s.read(tt.uri); got != want || problem != "" {
			t.Errorf("%s: %s%s\nwant %s", tt.uri, got, problem, want)
		}
	}
}

func TestResourcesOfEvents(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, uri := range []string{"blq://event/build:3:1", "blq://event/build%3A3%3A1", "blq://event/3:1"} {
		text, problem := s.read(uri)
		if problem != "" {
			t.Fatal(problem)
		}
		golden(t, "resource_event.json", text)
	}
	text, problem := s.read("blq://context/build:3:1?lines=1")
	if problem != "" {
		t.Fatal(problem)
	}
	golden(t, "resource_context.json", text)
}

func TestGuideNamesToolsThatAreThere(t *testing.T) {
	t.Parallel()
	if all, _ := serve(t).read("blq://guide"); !strings.Contains(all, "## Free questions") ||
		strings.Contains(all, "{query}") {
		t.Errorf("guide with query: %s", all)
	}
	if none, _ := serve(t, func(c *mcp.Config) { c.Disabled = []string{"query"} }).read("blq://guide"); strings.Contains(
		none, "query") || strings.Contains(none, "SELECT") {
		t.Errorf("guide without query: %s", none)
	}
	text, problem := serve(t).read("blq://guide")
	if problem != "" || !strings.Contains(text, "inspect(ref=") || strings.Contains(text, "exec(") {
		t.Errorf("guide without exec: %s%s", text, problem)
	}
}

func TestResourcesThatAreNotThere(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for uri, want := range map[string]string{
		"blq://event/build:9:9":      "no run build:9",
		"blq://event/nonsense:":      "is not a reference",
		"blq://errors/0":             "is not a reference",
		"blq://runs?limit=x":         "limit must be a whole number",
		"blq://runs?source=nowhere":  `no runs of "nowhere"`,
		"blq://runs?status=sleeping": "must be one of running, completed, orphaned",
		"blq://nothing":              "no resource",
	} {
		if text, problem := s.read(uri); !strings.Contains(problem, want) {
			t.Errorf("%s: %q %q, want an error with %q", uri, text, problem, want)
		}
	}
}
